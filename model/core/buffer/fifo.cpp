#include "core/buffer/fifo.h"

namespace cavern {

void Fifo::on_insert(FrameId frame, Lpn lpn, Access) {
    lpns_[raw(frame)] = lpn;
    arrivals_.push_mru(raw(frame));
}

void Fifo::remove(FrameId frame, Lpn) {
    arrivals_.remove(raw(frame));
}

void Fifo::drain_order(std::vector<FrameId>& frames) const {
    arrivals_.append_to(frames);
}

bool Fifo::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const std::uint32_t victim =
        arrivals_.lru_that([&](std::uint32_t frame) { return !pins.holds(raw(lpns_[frame])); });
    if (victim == RecencyList::kNone) {
        return false;
    }
    arrivals_.remove(victim);
    frames.push_back(FrameId{victim});
    return true;
}

} // namespace cavern
