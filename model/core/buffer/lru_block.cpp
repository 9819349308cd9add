#include "core/buffer/lru_block.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"

namespace cavern {

LruBlock::LruBlock(std::uint32_t capacity, std::uint32_t pages_per_block)
    : pages_per_block_(pages_per_block), pages_(capacity), clusters_(capacity),
      free_clusters_(capacity), cluster_of_lbn_(capacity), recency_(capacity) {
    for (std::uint32_t i = 0; i < capacity; ++i) {
        free_clusters_[i] = capacity - 1 - i;
    }
}

void LruBlock::on_insert(FrameId frame, Lpn lpn, Access) {
    const std::uint32_t cluster = cluster_for(raw(lpn) / pages_per_block_);
    const std::uint32_t last = clusters_[cluster].last;
    CAVERN_CHECK(pages_[raw(frame)].cluster == kNone, "a frame joins a second cluster");
    pages_[raw(frame)] = {lpn, cluster, last, kNone};
    (last == kNone ? clusters_[cluster].first : pages_[last].next) = raw(frame);
    clusters_[cluster].last = raw(frame);
    recency_.move_to_mru(cluster);
}

void LruBlock::on_hit(FrameId frame, Lpn, Access) {
    recency_.move_to_mru(pages_[raw(frame)].cluster);
}

void LruBlock::remove(FrameId frame, Lpn) {
    Page& page = pages_[raw(frame)];
    CAVERN_CHECK(page.cluster != kNone, "a frame leaves a cluster it is not in");
    Cluster& cluster = clusters_[page.cluster];
    (page.previous == kNone ? cluster.first : pages_[page.previous].next) = page.next;
    (page.next == kNone ? cluster.last : pages_[page.next].previous) = page.previous;
    if (cluster.first == kNone) {
        retire(page.cluster);
    }
    page = {};
}

bool LruBlock::pop_victim(std::vector<FrameId>& frames) {
    const std::uint32_t victim = recency_.lru();
    if (victim == kNone) {
        return false;
    }
    const std::size_t old_size = frames.size();
    for (std::uint32_t i = clusters_[victim].first; i != kNone; i = pages_[i].next) {
        frames.push_back(FrameId{i});
    }
    const auto by_lpn = [this](FrameId a, FrameId b) {
        return pages_[raw(a)].lpn < pages_[raw(b)].lpn;
    };
    const auto begin = frames.begin() + static_cast<std::ptrdiff_t>(old_size);
    if (!std::is_sorted(begin, frames.end(), by_lpn)) {
        std::sort(begin, frames.end(), by_lpn);
    }
    std::for_each(begin, frames.end(), [this](FrameId frame) { pages_[raw(frame)] = {}; });
    retire(victim);
    return true;
}

std::uint32_t LruBlock::cluster_for(std::uint64_t lbn) {
    const std::uint32_t found = cluster_of_lbn_.find(lbn);
    if (found != FlatMap::kNone) {
        return found;
    }
    const std::uint32_t cluster = free_clusters_.back();
    free_clusters_.pop_back();
    clusters_[cluster] = {lbn, kNone, kNone};
    cluster_of_lbn_.set(lbn, cluster);
    recency_.push_mru(cluster);
    return cluster;
}

void LruBlock::retire(std::uint32_t cluster) {
    recency_.remove(cluster);
    cluster_of_lbn_.erase(clusters_[cluster].lbn);
    free_clusters_.push_back(cluster);
}

} // namespace cavern
