#include "core/buffer/lru_page.h"

namespace cavern {

void LruPage::on_insert(FrameId frame, Lpn lpn, Access) {
    lpns_[raw(frame)] = lpn;
    recency_.push_mru(raw(frame));
}

void LruPage::on_hit(FrameId frame, Lpn, Access) {
    recency_.move_to_mru(raw(frame));
}

void LruPage::remove(FrameId frame, Lpn) {
    recency_.remove(raw(frame));
}

void LruPage::drain_order(std::vector<FrameId>& frames) const {
    recency_.append_to(frames);
}

bool LruPage::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const std::uint32_t victim =
        recency_.lru_that([&](std::uint32_t frame) { return !pins.holds(raw(lpns_[frame])); });
    if (victim == RecencyList::kNone) {
        return false;
    }
    recency_.remove(victim);
    frames.push_back(FrameId{victim});
    return true;
}

} // namespace cavern
