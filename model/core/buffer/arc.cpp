#include "core/buffer/arc.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

// At most `capacity` pages of T1 and B1 together and twice that of all four lists.
Arc::Arc(std::uint32_t capacity)
    : capacity_(capacity), frames_(capacity, kLists), lpns_(capacity, kNoLpn),
      ghosts_(2 * capacity, kLists), ghost_lpns_(2 * capacity, kNoLpn), free_ghosts_(2 * capacity),
      ghost_of_lpn_(2 * capacity) {
    for (std::uint32_t i = 0; i < 2 * capacity; ++i) {
        free_ghosts_[i] = 2 * capacity - 1 - i;
    }
}

void Arc::on_miss(Lpn lpn) {
    missed_ = lpn;
    forget_once_ = false;
    const std::uint32_t ghost = ghost_of_lpn_.find(raw(lpn));
    const double once = ghosts_.size(kOnce);
    const double again = ghosts_.size(kAgain);
    if (ghost != FlatMap::kNone) {
        missed_from_ = static_cast<List>(ghosts_.list_of(ghost));
        if (missed_from_ == kOnce) {
            target_ = std::min(double{1} * capacity_, target_ + std::max(again / once, 1.0));
        } else {
            target_ = std::max(0.0, target_ - std::max(once / again, 1.0));
        }
        return;
    }
    missed_from_ = kLists;
    if (frames_.size(kOnce) + ghosts_.size(kOnce) == capacity_) {
        if (ghosts_.size(kOnce) != 0) {
            drop_oldest_ghost(kOnce);
        } else {
            forget_once_ = true;
        }
    } else if (frames_.size(kOnce) + frames_.size(kAgain) + ghosts_.size(kOnce) +
                   ghosts_.size(kAgain) ==
               2 * capacity_) {
        drop_oldest_ghost(kAgain);
    }
}

void Arc::on_insert(FrameId frame, Lpn lpn, Access) {
    CAVERN_CHECK(missed_ == lpn, "a page enters the buffer that was not announced");
    if (missed_from_ != kLists) {
        drop_ghost(ghost_of_lpn_.find(raw(lpn)));
    }
    lpns_[raw(frame)] = lpn;
    frames_.push_newest(missed_from_ == kLists ? kOnce : kAgain, raw(frame));
    missed_ = kNoLpn;
    missed_from_ = kLists;
    forget_once_ = false;
}

void Arc::on_hit(FrameId frame, Lpn, Access) {
    frames_.remove(raw(frame));
    frames_.push_newest(kAgain, raw(frame));
}

void Arc::remove(FrameId frame, Lpn) {
    frames_.remove(raw(frame));
}

/// The order in which all would leave, clean pages too.
void Arc::drain_order(std::vector<FrameId>& frames) const {
    std::uint32_t first = frames_.oldest(kOnce);
    for (std::uint32_t once = frames_.size(kOnce); once > target_; --once) {
        frames.push_back(FrameId{first});
        first = frames_.newer(first);
    }
    frames_.append_to(kAgain, frames);
    for (; first != kNone; first = frames_.newer(first)) {
        frames.push_back(FrameId{first});
    }
}

bool Arc::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const auto is_free = [&](std::uint32_t frame) { return !pins.holds(raw(lpns_[frame])); };
    const double once = frames_.size(kOnce);
    const List reduced =
        forget_once_ || once > target_ || (missed_from_ == kAgain && once == target_) ? kOnce
                                                                                      : kAgain;
    std::uint32_t victim = frames_.oldest_that(reduced, is_free);
    if (victim == kNone) {
        victim = frames_.oldest_that(reduced == kOnce ? kAgain : kOnce, is_free);
    }
    if (victim == kNone) {
        return false;
    }
    const auto list = static_cast<List>(frames_.list_of(victim));
    frames_.remove(victim);
    if (list == kOnce && forget_once_) {
        forget_once_ = false;
    } else {
        add_ghost(list, lpns_[victim]);
    }
    frames.push_back(FrameId{victim});
    return true;
}

void Arc::add_ghost(List list, Lpn lpn) {
    CAVERN_CHECK(!free_ghosts_.empty(), "ARC remembers more pages than twice the buffer");
    const std::uint32_t ghost = free_ghosts_.back();
    free_ghosts_.pop_back();
    ghost_lpns_[ghost] = lpn;
    ghosts_.push_newest(list, ghost);
    ghost_of_lpn_.set(raw(lpn), ghost);
}

void Arc::drop_ghost(std::uint32_t ghost) {
    ghosts_.remove(ghost);
    ghost_of_lpn_.erase(raw(ghost_lpns_[ghost]));
    free_ghosts_.push_back(ghost);
}

} // namespace cavern
