#pragma once

#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"
#include "core/base/strong_id.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

/// Clusters: the resident pages of a logical block, in order of arrival. A cluster has an index, 0
/// .. capacity - 1, from its first page to its last, by which policies keep it on their lists. O(1)
/// per page, no allocation after construction.
class ClusterTable {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    /// `capacity` page frames.
    ClusterTable(std::uint32_t capacity, std::uint32_t pages_per_block);

    /// The page joins the cluster of its logical block, as its latest; a cluster of size 1 is new.
    std::uint32_t add(FrameId frame, Lpn lpn);
    /// The page leaves. Returns its former cluster; when that has size 0 it is gone, and its index
    /// free for reuse by the next add.
    std::uint32_t remove(FrameId frame);
    /// All pages of a cluster leave, appended to `frames` in ascending order of logical page; the
    /// cluster is gone. O(n log n) in its pages, O(n) when they arrived in ascending order.
    void take(std::uint32_t cluster, std::vector<FrameId>& frames);
    /// Appends the frames of a cluster, which stays.
    void append_to(std::uint32_t cluster, std::vector<FrameId>& frames) const;
    /// Those of all clusters of a list, least recently used first.
    void append_all(const RecencyList& clusters, std::vector<FrameId>& frames) const;

    /// Cluster of a page that is in the table.
    [[nodiscard]] std::uint32_t cluster_of(FrameId frame) const {
        return pages_[raw(frame)].cluster;
    }
    /// Cluster of a logical block, or kNone.
    [[nodiscard]] std::uint32_t find(std::uint64_t lbn) const { return cluster_of_lbn_.find(lbn); }
    [[nodiscard]] std::uint64_t lbn(std::uint32_t cluster) const { return clusters_[cluster].lbn; }
    [[nodiscard]] std::uint32_t size(std::uint32_t cluster) const {
        return clusters_[cluster].size;
    }
    /// Frames of a cluster in order of arrival; the last is followed by kNone.
    [[nodiscard]] std::uint32_t first(std::uint32_t cluster) const {
        return clusters_[cluster].first;
    }
    [[nodiscard]] std::uint32_t next(std::uint32_t frame) const { return pages_[frame].next; }

    [[nodiscard]] std::uint64_t lbn_of(Lpn lpn) const { return raw(lpn) / pages_per_block_; }
    [[nodiscard]] Lpn lpn(std::uint32_t frame) const { return pages_[frame].lpn; }
    [[nodiscard]] std::uint32_t offset_of(Lpn lpn) const {
        return static_cast<std::uint32_t>(raw(lpn) % pages_per_block_);
    }
    [[nodiscard]] std::uint32_t pages_per_block() const { return pages_per_block_; }
    void serialize(StateArchive& archive);

  private:
    /// A resident page and its neighbours in the cluster.
    struct Page {
        Lpn lpn = kNoLpn;
        std::uint32_t cluster = kNone;
        std::uint32_t previous = kNone;
        std::uint32_t next = kNone;
    };
    struct Cluster {
        std::uint64_t lbn = 0;
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
        std::uint32_t size = 0;
    };

    [[nodiscard]] std::uint32_t cluster_for(std::uint64_t lbn);
    void retire(std::uint32_t cluster);

    std::uint32_t pages_per_block_;
    std::vector<Page> pages_; ///< per frame
    std::vector<Cluster> clusters_;
    std::vector<std::uint32_t> free_clusters_; ///< stack
    FlatMap cluster_of_lbn_;
};

} // namespace cavern
