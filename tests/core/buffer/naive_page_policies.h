#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tests/core/buffer/naive_policy.h"

namespace cavern::testing {

/// Takes `value` out of a list; returns whether it was there.
inline bool take(Pages& list, std::uint64_t value) {
    const auto found = std::find(list.begin(), list.end(), value);
    if (found == list.end()) {
        return false;
    }
    list.erase(found);
    return true;
}

/// Resident pages, oldest first; what counts as used again is the policy's matter.
class NaivePages : public NaivePolicy {
  public:
    void insert(std::uint64_t lpn, bool write) override {
        order_.push_back(lpn);
        if (write) {
            dirty_.push_back(lpn);
        }
    }
    void hit(std::uint64_t lpn, bool write) override {
        take(order_, lpn);
        order_.push_back(lpn);
        if (write && !is_dirty(lpn)) {
            dirty_.push_back(lpn);
        }
    }
    void remove(std::uint64_t lpn) override {
        take(order_, lpn);
        take(dirty_, lpn);
    }
    [[nodiscard]] Pages drain_order() const override { return order_; }
    void clean(std::uint64_t lpn) override { take(dirty_, lpn); }

  protected:
    [[nodiscard]] bool is_dirty(std::uint64_t lpn) const {
        return std::find(dirty_.begin(), dirty_.end(), lpn) != dirty_.end();
    }
    [[nodiscard]] Pages nearest_lru(std::size_t window) const {
        const std::size_t size = std::min(window, order_.size());
        return {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(size)};
    }
    /// The first of `pages` that `accept` accepts leaves.
    Pages leave_first(const Pages& pages, const std::function<bool(std::uint64_t)>& accept) {
        for (const std::uint64_t lpn : pages) {
            if (accept(lpn)) {
                remove(lpn);
                return {lpn};
            }
        }
        return {};
    }
    Pages leave_lru(const IsPinned& pinned) {
        return leave_first(Pages(order_), [&](std::uint64_t lpn) { return !pinned(lpn); });
    }

    Pages order_;
    Pages dirty_;
};

class NaiveLruPage final : public NaivePages {
  public:
    Pages victim(const IsPinned& pinned) override { return leave_lru(pinned); }
};

class NaiveFifo final : public NaivePages {
  public:
    void hit(std::uint64_t, bool) override {}
    Pages victim(const IsPinned& pinned) override { return leave_lru(pinned); }
};

class NaiveCflru final : public NaivePages {
  public:
    explicit NaiveCflru(std::size_t window) : window_(window) {}
    Pages victim(const IsPinned& pinned) override {
        const Pages clean = leave_first(nearest_lru(window_), [&](std::uint64_t lpn) {
            return !pinned(lpn) && !is_dirty(lpn);
        });
        return clean.empty() ? leave_lru(pinned) : clean;
    }

  private:
    std::size_t window_;
};

class NaiveRef final : public NaivePages {
  public:
    NaiveRef(std::uint64_t pages_per_block, std::size_t window, std::size_t victims,
             bool refill_lru)
        : pages_per_block_(pages_per_block), window_(window), victims_(victims),
          refill_lru_(refill_lru) {}

    Pages victim(const IsPinned& pinned) override {
        const Pages window = nearest_lru(window_);
        Pages left = leave_first(window, [&](std::uint64_t lpn) {
            return !pinned(lpn) &&
                   std::find(recent_.begin(), recent_.end(), block(lpn)) != recent_.end();
        });
        if (left.empty() && !refill_lru_) {
            left = leave_of_fullest(window, pinned);
        }
        if (left.empty()) {
            left = leave_lru(pinned);
        }
        if (!left.empty()) {
            take(recent_, block(left.front()));
            recent_.push_back(block(left.front()));
            if (recent_.size() > victims_) {
                recent_.erase(recent_.begin());
            }
        }
        return left;
    }

    /// Of the window: pages of blocks recently evicted from, then block by block; then the others.
    [[nodiscard]] Pages drain_order() const override {
        Pages rest = nearest_lru(window_);
        Pages order;
        const auto move_if = [&](const std::function<bool(std::uint64_t)>& wanted) {
            for (const std::uint64_t lpn : Pages(rest)) {
                if (wanted(lpn)) {
                    take(rest, lpn);
                    order.push_back(lpn);
                }
            }
        };
        move_if([&](std::uint64_t lpn) {
            return std::find(recent_.begin(), recent_.end(), block(lpn)) != recent_.end();
        });
        if (!refill_lru_) {
            for (const auto& [lbn, count] : fullest_first(Pages(rest))) {
                const std::uint64_t wanted = lbn;
                move_if([&](std::uint64_t lpn) { return block(lpn) == wanted; });
            }
        }
        move_if([](std::uint64_t) { return true; });
        const std::size_t window = order.size();
        order.insert(order.end(), order_.begin() + static_cast<std::ptrdiff_t>(window),
                     order_.end());
        return order;
    }

  private:
    [[nodiscard]] std::uint64_t block(std::uint64_t lpn) const { return lpn / pages_per_block_; }

    /// Blocks with their pages, in order of their least recently used page, then (stably) by pages.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, int>>
    fullest_first(const Pages& window) const {
        std::vector<std::pair<std::uint64_t, int>> counts;
        for (const std::uint64_t lpn : window) {
            const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& entry) {
                return entry.first == block(lpn);
            });
            if (found == counts.end()) {
                counts.emplace_back(block(lpn), 1);
            } else {
                ++found->second;
            }
        }
        std::stable_sort(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        return counts;
    }

    Pages leave_of_fullest(const Pages& window, const IsPinned& pinned) {
        for (const auto& [lbn, count] : fullest_first(window)) {
            const std::uint64_t wanted = lbn;
            const Pages left = leave_first(
                window, [&](std::uint64_t lpn) { return block(lpn) == wanted && !pinned(lpn); });
            if (!left.empty()) {
                return left;
            }
        }
        return {};
    }

    std::uint64_t pages_per_block_;
    std::size_t window_;
    std::size_t victims_;
    bool refill_lru_;
    Pages recent_; ///< oldest first
};

/// Cold clean first: the mixed list and the list of cold clean pages, and who is cold.
class NaiveCcfLru final : public NaivePages {
  public:
    explicit NaiveCcfLru(bool new_dirty_cold) : new_dirty_cold_(new_dirty_cold) {}

    void insert(std::uint64_t lpn, bool write) override {
        if (write) {
            NaivePages::insert(lpn, true); // order_ is the mixed list
            if (new_dirty_cold_) {
                cold_.push_back(lpn);
            }
        } else {
            cold_clean_.push_back(lpn);
        }
    }
    void hit(std::uint64_t lpn, bool write) override {
        take(cold_clean_, lpn);
        take(cold_, lpn);
        NaivePages::hit(lpn, write);
    }
    void remove(std::uint64_t lpn) override {
        NaivePages::remove(lpn);
        take(cold_clean_, lpn);
        take(cold_, lpn);
    }
    Pages victim(const IsPinned& pinned) override {
        const auto is_free = [&](std::uint64_t lpn) { return !pinned(lpn); };
        const Pages left = leave_first(Pages(cold_clean_), is_free);
        if (!left.empty()) {
            return left;
        }
        for (std::size_t i = 0; i < order_.size();) {
            const std::uint64_t lpn = order_[i];
            if (pinned(lpn)) {
                ++i;
            } else if (std::find(cold_.begin(), cold_.end(), lpn) != cold_.end()) {
                remove(lpn);
                return {lpn};
            } else if (is_dirty(lpn)) {
                take(order_, lpn);
                order_.push_back(lpn);
                cold_.push_back(lpn);
            } else {
                take(order_, lpn);
                cold_clean_.push_back(lpn);
            }
        }
        return leave_first(Pages(cold_clean_), is_free);
    }
    /// Hot ones behind the cold: they get another round.
    [[nodiscard]] Pages drain_order() const override {
        Pages order = order_;
        std::stable_partition(order.begin(), order.end(),
                              [this](std::uint64_t lpn) { return is_cold(lpn); });
        return order;
    }
    void clean(std::uint64_t lpn) override {
        take(dirty_, lpn);
        if (is_cold(lpn)) {
            remove(lpn);
            cold_clean_.push_back(lpn);
        }
    }

  private:
    [[nodiscard]] bool is_cold(std::uint64_t lpn) const {
        return std::find(cold_.begin(), cold_.end(), lpn) != cold_.end();
    }

    bool new_dirty_cold_;
    Pages cold_clean_;
    Pages cold_; ///< of the mixed list
};

/// Fig. 4 of the paper; the full buffer asks for victims where it says REPLACE or "delete from T1".
class NaiveArc final : public NaivePolicy {
  public:
    explicit NaiveArc(std::size_t capacity) : c_(capacity) {}

    void miss(std::uint64_t lpn) override {
        const auto in = [lpn](const Pages& list) {
            return std::find(list.begin(), list.end(), lpn) != list.end();
        };
        in_b1_ = in(b1_);
        in_b2_ = in(b2_);
        delete_t1_ = false;
        const auto size = [](const Pages& list) { return static_cast<double>(list.size()); };
        if (in_b1_) {
            p_ = std::min(static_cast<double>(c_), p_ + std::max(size(b2_) / size(b1_), 1.0));
        } else if (in_b2_) {
            p_ = std::max(0.0, p_ - std::max(size(b1_) / size(b2_), 1.0));
        } else if (t1_.size() + b1_.size() == c_) {
            if (t1_.size() < c_) {
                b1_.erase(b1_.begin());
            } else {
                delete_t1_ = true;
            }
        } else if (t1_.size() + t2_.size() + b1_.size() + b2_.size() >= 2 * c_) {
            b2_.erase(b2_.begin());
        }
    }
    void insert(std::uint64_t lpn, bool) override {
        if (in_b1_ || in_b2_) {
            take(b1_, lpn);
            take(b2_, lpn);
            t2_.push_back(lpn);
        } else {
            t1_.push_back(lpn);
        }
        in_b1_ = in_b2_ = delete_t1_ = false;
    }
    void hit(std::uint64_t lpn, bool) override {
        remove(lpn);
        t2_.push_back(lpn);
    }
    void remove(std::uint64_t lpn) override {
        take(t1_, lpn);
        take(t2_, lpn);
    }
    Pages victim(const IsPinned& pinned) override {
        const auto t1 = static_cast<double>(t1_.size());
        const bool from_t1 = delete_t1_ || (t1 >= 1 && (t1 > p_ || (in_b2_ && t1 == p_)));
        for (const bool once : {from_t1, !from_t1}) {
            Pages& list = once ? t1_ : t2_;
            for (const std::uint64_t lpn : Pages(list)) {
                if (pinned(lpn)) {
                    continue;
                }
                take(list, lpn);
                if (once && delete_t1_) {
                    delete_t1_ = false;
                } else {
                    (once ? b1_ : b2_).push_back(lpn);
                }
                return {lpn};
            }
        }
        return {};
    }
    /// As if REPLACE were asked for all of them.
    [[nodiscard]] Pages drain_order() const override {
        Pages once = t1_;
        Pages order;
        while (!once.empty() && static_cast<double>(once.size()) > p_) {
            order.push_back(once.front());
            once.erase(once.begin());
        }
        order.insert(order.end(), t2_.begin(), t2_.end());
        order.insert(order.end(), once.begin(), once.end());
        return order;
    }

  private:
    std::size_t c_;
    double p_ = 0.0;
    Pages t1_, t2_, b1_, b2_;
    bool in_b1_ = false;
    bool in_b2_ = false;
    bool delete_t1_ = false;
};

/// Multi-chip-aware: `need` says which die a page occupies, `busy` which are.
class NaiveMultichip final : public NaivePages {
  public:
    using Need = std::function<std::optional<std::uint32_t>(std::uint64_t lpn)>;
    using IsBusy = std::function<bool(std::uint32_t die)>;

    NaiveMultichip(std::size_t window, Need need, IsBusy busy)
        : window_size_(window), need_(std::move(need)), busy_(std::move(busy)) {}

    void batch(std::uint32_t units) override {
        in_batch_ = units > 1;
        begun_ = false;
        window_ = nearest_lru(window_size_);
        taken_.clear();
    }
    Pages victim(const IsPinned& pinned) override {
        if (!in_batch_) {
            window_ = nearest_lru(window_size_);
        }
        Pages left = leave_first(window_, [&](std::uint64_t lpn) {
            const auto die = need_(lpn);
            return !pinned(lpn) && std::find(order_.begin(), order_.end(), lpn) != order_.end() &&
                   (!die || (!busy_(*die) &&
                             std::find(taken_.begin(), taken_.end(), *die) == taken_.end()));
        });
        if (left.empty() && !begun_) {
            left = leave_lru(pinned);
        } else if (left.empty()) {
            window_.clear(); // the batch is over
        }
        if (!left.empty() && in_batch_) {
            begun_ = true;
            if (const auto die = need_(left.front())) {
                taken_.push_back(*die);
            }
        }
        return left;
    }

  private:
    std::size_t window_size_;
    Need need_;
    IsBusy busy_;
    Pages window_;
    std::vector<std::uint32_t> taken_;
    bool in_batch_ = false;
    bool begun_ = false;
};

} // namespace cavern::testing
