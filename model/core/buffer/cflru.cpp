#include "core/buffer/cflru.h"

namespace cavern {

Cflru::Cflru(std::uint32_t capacity, std::uint32_t window)
    : order_(capacity, window), clean_(capacity), dirty_(capacity, 0), lpns_(capacity, kNoLpn) {}

void Cflru::on_insert(FrameId frame, Lpn lpn, Access access) {
    lpns_[raw(frame)] = lpn;
    dirty_[raw(frame)] = access == Access::kWrite ? 1 : 0;
    put_in(raw(frame));
}

void Cflru::on_hit(FrameId frame, Lpn, Access access) {
    take_out(raw(frame));
    if (access == Access::kWrite) {
        dirty_[raw(frame)] = 1;
    }
    put_in(raw(frame));
}

void Cflru::remove(FrameId frame, Lpn) {
    take_out(raw(frame));
}

void Cflru::drain_order(std::vector<FrameId>& frames) const {
    order_.list().append_to(frames);
}

/// It joins the clean pages of the region at its place. A FLUSH writes in order of use, so that the
/// next older clean page is near.
void Cflru::on_clean(FrameId frame) {
    dirty_[raw(frame)] = 0;
    if (!order_.in_window(raw(frame))) {
        return;
    }
    std::uint32_t older = order_.list().older(raw(frame));
    while (older != RecencyList::kNone && !clean_.contains(older)) {
        older = order_.list().older(older);
    }
    clean_.push_newer_than(older, raw(frame));
}

bool Cflru::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const auto is_free = [&](std::uint32_t frame) { return !pins.holds(raw(lpns_[frame])); };
    std::uint32_t victim = clean_.lru_that(is_free);
    if (victim == RecencyList::kNone) {
        victim = order_.list().lru_that(is_free);
    }
    if (victim == RecencyList::kNone) {
        return false;
    }
    take_out(victim);
    frames.push_back(FrameId{victim});
    return true;
}

void Cflru::take_out(std::uint32_t frame) {
    if (clean_.contains(frame)) {
        clean_.remove(frame);
    }
    enter_region(order_.remove(frame));
}

void Cflru::put_in(std::uint32_t frame) {
    enter_region(order_.push_mru(frame));
}

void Cflru::enter_region(std::uint32_t frame) {
    if (frame != LruWindow::kNone && dirty_[frame] == 0) {
        clean_.push_mru(frame);
    }
}

} // namespace cavern
