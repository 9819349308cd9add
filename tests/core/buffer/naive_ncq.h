#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <utility>

#include "tests/core/buffer/naive_policy.h"

namespace cavern::testing {

/// The NCQ-aware buffer as the paper words it, over a naive order: every command of the queue keeps
/// a list of what it pinned, and every question searches all of it. Pages are named by number.
class NaiveNcq {
  public:
    /// Ways to get it wrong, for a comparison that must notice.
    enum class Fault { kNone, kPinsOutliveTheirUnit, kLateArrivalsAreProtected, kNoBound };

    NaiveNcq(std::unique_ptr<NaivePolicy> order, std::size_t capacity, std::uint64_t unit_pages,
             std::size_t most_pages, Fault fault = Fault::kNone)
        : order_(std::move(order)), capacity_(capacity), unit_pages_(unit_pages),
          most_pages_(most_pages), fault_(fault) {}

    void arrive(std::uint64_t first, std::uint64_t last) {
        queue_.push_back({first, last, {}});
        for (std::uint64_t unit = first / unit_pages_; unit <= last / unit_pages_; ++unit) {
            const std::size_t pages = resident_of(unit);
            const bool fits = is_pinned(unit) || pinned_pages() + pages <= most_pages_ ||
                              fault_ == Fault::kNoBound;
            if ((pages != 0 || fault_ == Fault::kLateArrivalsAreProtected) && fits) {
                queue_.back().pins.push_back(unit);
            }
        }
    }
    void served() { queue_.pop_front(); }

    /// Pages that leave for it.
    Pages write(std::uint64_t lpn) {
        if (pages_.count(lpn) != 0) {
            order_->hit(lpn, true);
            return {};
        }
        order_->miss(lpn);
        Pages leaving;
        if (pages_.size() == capacity_) {
            leaving = evict();
        }
        pages_.insert(lpn);
        order_->insert(lpn, true);
        return leaving;
    }
    void trim(std::uint64_t lpn) {
        if (pages_.erase(lpn) != 0) {
            order_->remove(lpn);
            forget(lpn / unit_pages_);
        }
    }
    Pages evict() {
        order_->batch(1);
        Pages leaving = order_->victim([this](std::uint64_t unit) { return is_pinned(unit); });
        if (leaving.empty()) {
            leaving = order_->victim([](std::uint64_t) { return false; });
        }
        for (const std::uint64_t lpn : leaving) {
            pages_.erase(lpn);
        }
        forget(leaving.front() / unit_pages_);
        return leaving;
    }

    [[nodiscard]] std::size_t pinned_pages() const {
        std::size_t pages = 0;
        for (const std::uint64_t lpn : pages_) {
            pages += is_pinned(lpn / unit_pages_) ? 1 : 0;
        }
        return pages;
    }

  private:
    struct Command {
        std::uint64_t first;
        std::uint64_t last;
        Pages pins;
    };

    [[nodiscard]] std::size_t resident_of(std::uint64_t unit) const {
        return static_cast<std::size_t>(
            std::count_if(pages_.begin(), pages_.end(),
                          [&](std::uint64_t lpn) { return lpn / unit_pages_ == unit; }));
    }
    [[nodiscard]] bool is_pinned(std::uint64_t unit) const {
        return std::any_of(queue_.begin(), queue_.end(), [&](const Command& command) {
            return std::find(command.pins.begin(), command.pins.end(), unit) != command.pins.end();
        });
    }
    /// A unit that has no page any more is in nobody's list.
    void forget(std::uint64_t unit) {
        if (fault_ == Fault::kPinsOutliveTheirUnit || resident_of(unit) != 0) {
            return;
        }
        for (Command& command : queue_) {
            command.pins.erase(std::remove(command.pins.begin(), command.pins.end(), unit),
                               command.pins.end());
        }
    }

    std::unique_ptr<NaivePolicy> order_;
    std::size_t capacity_;
    std::uint64_t unit_pages_;
    std::size_t most_pages_;
    Fault fault_;
    std::set<std::uint64_t> pages_;
    std::deque<Command> queue_;
};

} // namespace cavern::testing
