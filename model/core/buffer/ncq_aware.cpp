#include "core/buffer/ncq_aware.h"

#include <cstddef>
#include <utility>

#include "core/base/check.h"

namespace cavern {

NcqAware::NcqAware(std::unique_ptr<EvictionPolicyIf> order, const Params& params,
                   DecisionLogIf* log)
    : order_(std::move(order)), params_(params), log_(log), by_block_(order_->evicts_blocks()),
      pages_(params.capacity), stays_(params.capacity), lpn_of_(params.capacity, kNoLpn) {}

std::uint64_t NcqAware::unit_of(Lpn lpn) const {
    return by_block_ ? raw(lpn) / params_.pages_per_block : raw(lpn);
}

// ---- commands -----------------------------------------------------------------------------------

std::uint32_t NcqAware::on_arrival(Lpn first, Lpn last) {
    const std::uint64_t begin = unit_of(first);
    const std::uint64_t end = unit_of(last);
    std::uint32_t held = kNoPins;
    if (params_.literal_minmax && begin != end) {
        return held;
    }
    for (std::uint64_t unit = begin; unit <= end; ++unit) {
        if (!hold(unit)) {
            continue;
        }
        const std::uint32_t pin = new_pin(unit, stays_.find(unit));
        pool_[pin].next = held;
        held = pin;
        ++held_;
        ++counters_.pins;
        if (log_ == nullptr) {
            continue;
        }
        if (by_block_) {
            log_->pin_block(Lbn{unit});
        } else {
            log_->pin_page(Lpn{unit});
        }
    }
    return held;
}

bool NcqAware::hold(std::uint64_t unit) {
    const std::uint32_t pages = pages_.find(unit);
    if (pages == FlatMap::kNone) {
        return false;
    }
    if (stays_.find(unit) == FlatMap::kNone) {
        if (std::uint64_t{pinned_pages_} + pages > params_.most_pages) {
            ++counters_.refused;
            return false;
        }
        pinned_pages_ += pages;
        stays_.set(unit, next_stay_);
        next_stay_ = next_stay_ + 1 == FlatMap::kNone ? 0 : next_stay_ + 1;
    }
    pins_->pin(unit);
    return true;
}

std::uint32_t NcqAware::new_pin(std::uint64_t unit, std::uint32_t stay) {
    if (free_ == kNoPins) {
        pool_.push_back({unit, stay, kNoPins});
        return static_cast<std::uint32_t>(pool_.size() - 1);
    }
    const std::uint32_t pin = free_;
    free_ = pool_[pin].next;
    pool_[pin] = {unit, stay, kNoPins};
    return pin;
}

void NcqAware::on_served(std::uint32_t command) {
    while (command != kNoPins) {
        Pin& pin = pool_[command];
        const std::uint32_t next = pin.next;
        // A unit that has left took its pins along; those of its next stay are not ours.
        if (stays_.find(pin.unit) == pin.stay) {
            pins_->unpin(pin.unit);
            if (!pins_->holds(pin.unit)) {
                end_stay(pin.unit);
            }
        }
        pin.next = free_;
        free_ = command;
        --held_;
        command = next;
    }
}

void NcqAware::end_stay(std::uint64_t unit) {
    const std::uint32_t pages = pages_.find(unit);
    pinned_pages_ -= pages == FlatMap::kNone ? 0 : pages;
    stays_.erase(unit);
}

// ---- pages --------------------------------------------------------------------------------------

void NcqAware::on_insert(FrameId frame, Lpn lpn, Access access) {
    const std::uint64_t unit = unit_of(lpn);
    const std::uint32_t pages = pages_.find(unit);
    pages_.set(unit, pages == FlatMap::kNone ? 1 : pages + 1);
    pinned_pages_ += pins_->holds(unit) ? 1 : 0;
    lpn_of_[raw(frame)] = lpn;
    order_->on_insert(frame, lpn, access);
}

void NcqAware::on_hit(FrameId frame, Lpn lpn, Access access) {
    order_->on_hit(frame, lpn, access);
}

void NcqAware::remove(FrameId frame, Lpn lpn) {
    order_->remove(frame, lpn);
    page_left(unit_of(lpn));
}

void NcqAware::page_left(std::uint64_t unit) {
    const std::uint32_t pages = pages_.find(unit);
    CAVERN_CHECK(pages != FlatMap::kNone, "a page leaves a unit that has some");
    const bool pinned = stays_.find(unit) != FlatMap::kNone;
    pinned_pages_ -= pinned ? 1 : 0;
    if (pages != 1) {
        pages_.set(unit, pages - 1);
        return;
    }
    pages_.erase(unit);
    if (pinned) {
        stays_.erase(unit);
        pins_->drop(unit);
    }
}

bool NcqAware::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const std::size_t before = frames.size();
    if (!order_->pop_victim(frames, pins)) {
        return false;
    }
    const std::uint64_t unit = unit_of(lpn_of_[raw(frames[before])]);
    counters_.pinned_victims += pins_->holds(unit) ? 1 : 0;
    for (std::size_t i = before; i < frames.size(); ++i) {
        page_left(unit_of(lpn_of_[raw(frames[i])]));
    }
    return true;
}

std::uint64_t NcqAware::check_invariants(bool queue_empty) const {
    CAVERN_CHECK(pins_->units() == stays_.size(), "every pinned unit is in the virtual section");
    CAVERN_CHECK(pins_->units() <= pages_.size(), "only resident units are pinned");
    CAVERN_CHECK(pinned_pages_ >= pins_->units(), "every pinned unit has pages");
    CAVERN_CHECK(!queue_empty || (held_ == 0 && !pins_->any() && pinned_pages_ == 0),
                 "nothing is pinned when no command waits");
    return 4;
}

} // namespace cavern
