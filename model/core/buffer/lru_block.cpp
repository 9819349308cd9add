#include "core/buffer/lru_block.h"

namespace cavern {

void LruBlock::on_insert(FrameId frame, Lpn lpn, Access) {
    const std::uint32_t cluster = clusters_.add(frame, lpn);
    if (clusters_.size(cluster) == 1) {
        recency_.push_mru(cluster);
    } else {
        recency_.move_to_mru(cluster);
    }
}

void LruBlock::on_hit(FrameId frame, Lpn, Access) {
    recency_.move_to_mru(clusters_.cluster_of(frame));
}

void LruBlock::remove(FrameId frame, Lpn) {
    const std::uint32_t cluster = clusters_.remove(frame);
    if (clusters_.size(cluster) == 0) {
        recency_.remove(cluster);
    }
}

void LruBlock::drain_order(std::vector<FrameId>& frames) const {
    clusters_.append_all(recency_, frames);
}

bool LruBlock::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const std::uint32_t victim = recency_.lru_that(
        [&](std::uint32_t cluster) { return !pins.holds(clusters_.lbn(cluster)); });
    if (victim == RecencyList::kNone) {
        return false;
    }
    recency_.remove(victim);
    clusters_.take(victim, frames);
    return true;
}

} // namespace cavern
