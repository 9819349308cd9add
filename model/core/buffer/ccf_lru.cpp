#include "core/buffer/ccf_lru.h"

namespace cavern {

CcfLru::CcfLru(std::uint32_t capacity, bool new_dirty_cold)
    : new_dirty_cold_(new_dirty_cold), mixed_(capacity), cold_clean_(capacity), pages_(capacity) {}

void CcfLru::on_insert(FrameId frame, Lpn lpn, Access access) {
    const bool dirty = access == Access::kWrite;
    pages_[raw(frame)] = {lpn, dirty, !dirty || new_dirty_cold_};
    (dirty ? mixed_ : cold_clean_).push_mru(raw(frame));
}

void CcfLru::on_hit(FrameId frame, Lpn, Access access) {
    Page& page = pages_[raw(frame)];
    page.dirty = page.dirty || access == Access::kWrite;
    page.cold = false;
    unlist(raw(frame));
    mixed_.push_mru(raw(frame));
}

void CcfLru::remove(FrameId frame, Lpn) {
    unlist(raw(frame));
}

/// Hot pages get another round behind the cold ones.
void CcfLru::drain_order(std::vector<FrameId>& frames) const {
    for (const bool cold : {true, false}) {
        for (std::uint32_t frame = mixed_.lru(); frame != kNone; frame = mixed_.newer(frame)) {
            if (pages_[frame].cold == cold) {
                frames.push_back(FrameId{frame});
            }
        }
    }
}

/// A cold page is from now on among those read once, a hot one stays among the hot.
void CcfLru::on_clean(FrameId frame) {
    Page& page = pages_[raw(frame)];
    page.dirty = false;
    if (page.cold) {
        mixed_.remove(raw(frame));
        cold_clean_.push_mru(raw(frame));
    }
}

bool CcfLru::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const auto first_cold_clean = [&] {
        return cold_clean_.lru_that(
            [&](std::uint32_t frame) { return !pins.holds(raw(pages_[frame].lpn)); });
    };
    std::uint32_t victim = first_cold_clean();
    if (victim == kNone) {
        victim = demote_until_cold(pins);
    }
    if (victim == kNone) {
        victim = first_cold_clean(); // all of the mixed list was hot and clean, or is pinned
    }
    if (victim == kNone) {
        return false;
    }
    unlist(victim);
    frames.push_back(FrameId{victim});
    return true;
}

void CcfLru::unlist(std::uint32_t frame) {
    (mixed_.contains(frame) ? mixed_ : cold_clean_).remove(frame);
}

std::uint32_t CcfLru::demote_until_cold(const Pins& pins) {
    std::uint32_t frame = mixed_.lru();
    while (frame != kNone) {
        Page& page = pages_[frame];
        std::uint32_t next = mixed_.newer(frame);
        if (!pins.holds(raw(page.lpn))) {
            if (page.cold) {
                return frame;
            }
            page.cold = true;
            mixed_.remove(frame);
            (page.dirty ? mixed_ : cold_clean_).push_mru(frame);
            if (next == kNone && page.dirty) {
                next = frame; // it was the newest, and is again
            }
        }
        frame = next;
    }
    return kNone;
}

} // namespace cavern
