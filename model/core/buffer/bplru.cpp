#include "core/buffer/bplru.h"

namespace cavern {

namespace {

constexpr std::uint32_t kBroken = 0xFFFF'FFFFu;

} // namespace

Bplru::Bplru(std::uint32_t capacity, std::uint32_t pages_per_block, bool pad, bool compensate)
    : clusters_(capacity, pages_per_block), recency_(capacity), pad_(pad), compensate_(compensate),
      expected_(capacity, 0) {}

void Bplru::on_insert(FrameId frame, Lpn lpn, Access kind) {
    const std::uint32_t cluster = clusters_.add(frame, lpn);
    if (clusters_.size(cluster) == 1) {
        recency_.push_mru(cluster);
        expected_[cluster] = 0;
    }
    access(cluster, lpn, kind);
}

void Bplru::on_hit(FrameId frame, Lpn lpn, Access kind) {
    access(clusters_.cluster_of(frame), lpn, kind);
}

void Bplru::remove(FrameId frame, Lpn) {
    const std::uint32_t cluster = clusters_.remove(frame);
    if (clusters_.size(cluster) == 0) {
        recency_.remove(cluster);
    }
}

void Bplru::drain_order(std::vector<FrameId>& frames) const {
    clusters_.append_all(recency_, frames);
}

bool Bplru::pop_victim(std::vector<FrameId>& frames, const Pins& pins) {
    const std::uint32_t victim = recency_.lru_that(
        [&](std::uint32_t cluster) { return !pins.holds(clusters_.lbn(cluster)); });
    if (victim == RecencyList::kNone) {
        return false;
    }
    recency_.remove(victim);
    clusters_.take(victim, frames);
    return true;
}

void Bplru::access(std::uint32_t cluster, Lpn lpn, Access kind) {
    recency_.move_to_mru(cluster);
    if (kind == Access::kRead || !compensate_) {
        return;
    }
    std::uint32_t& expected = expected_[cluster];
    if (expected != clusters_.offset_of(lpn)) {
        expected = kBroken;
        return;
    }
    if (++expected == clusters_.pages_per_block()) {
        expected = kBroken;
        recency_.remove(cluster);
        recency_.push_lru(cluster);
    }
}

} // namespace cavern
