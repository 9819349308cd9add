#include "core/buffer/cluster_table.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"

namespace cavern {

ClusterTable::ClusterTable(std::uint32_t capacity, std::uint32_t pages_per_block)
    : pages_per_block_(pages_per_block), pages_(capacity), clusters_(capacity),
      free_clusters_(capacity), cluster_of_lbn_(capacity) {
    for (std::uint32_t i = 0; i < capacity; ++i) {
        free_clusters_[i] = capacity - 1 - i;
    }
}

std::uint32_t ClusterTable::add(FrameId frame, Lpn lpn) {
    CAVERN_CHECK(pages_[raw(frame)].cluster == kNone, "a frame joins a second cluster");
    const std::uint32_t index = cluster_for(lbn_of(lpn));
    Cluster& cluster = clusters_[index];
    pages_[raw(frame)] = {lpn, index, cluster.last, kNone};
    (cluster.last == kNone ? cluster.first : pages_[cluster.last].next) = raw(frame);
    cluster.last = raw(frame);
    ++cluster.size;
    return index;
}

std::uint32_t ClusterTable::remove(FrameId frame) {
    Page& page = pages_[raw(frame)];
    const std::uint32_t index = page.cluster;
    CAVERN_CHECK(index != kNone, "a frame leaves a cluster it is not in");
    Cluster& cluster = clusters_[index];
    (page.previous == kNone ? cluster.first : pages_[page.previous].next) = page.next;
    (page.next == kNone ? cluster.last : pages_[page.next].previous) = page.previous;
    page = {};
    if (--cluster.size == 0) {
        retire(index);
    }
    return index;
}

void ClusterTable::append_to(std::uint32_t cluster, std::vector<FrameId>& frames) const {
    const std::size_t old_size = frames.size();
    for (std::uint32_t i = clusters_[cluster].first; i != kNone; i = pages_[i].next) {
        frames.push_back(FrameId{i});
    }
    const auto by_lpn = [this](FrameId a, FrameId b) {
        return pages_[raw(a)].lpn < pages_[raw(b)].lpn;
    };
    const auto begin = frames.begin() + static_cast<std::ptrdiff_t>(old_size);
    if (!std::is_sorted(begin, frames.end(), by_lpn)) {
        std::sort(begin, frames.end(), by_lpn);
    }
}

void ClusterTable::append_all(const RecencyList& clusters, std::vector<FrameId>& frames) const {
    for (std::uint32_t cluster = clusters.lru(); cluster != RecencyList::kNone;
         cluster = clusters.newer(cluster)) {
        append_to(cluster, frames);
    }
}

void ClusterTable::take(std::uint32_t cluster, std::vector<FrameId>& frames) {
    const auto old_size = static_cast<std::ptrdiff_t>(frames.size());
    append_to(cluster, frames);
    std::for_each(frames.begin() + old_size, frames.end(),
                  [this](FrameId frame) { pages_[raw(frame)] = {}; });
    clusters_[cluster].size = 0;
    retire(cluster);
}

std::uint32_t ClusterTable::cluster_for(std::uint64_t lbn) {
    const std::uint32_t found = cluster_of_lbn_.find(lbn);
    if (found != FlatMap::kNone) {
        return found;
    }
    const std::uint32_t cluster = free_clusters_.back();
    free_clusters_.pop_back();
    clusters_[cluster] = {lbn, kNone, kNone, 0};
    cluster_of_lbn_.set(lbn, cluster);
    return cluster;
}

void ClusterTable::retire(std::uint32_t cluster) {
    cluster_of_lbn_.erase(clusters_[cluster].lbn);
    free_clusters_.push_back(cluster);
}

} // namespace cavern
