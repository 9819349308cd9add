#pragma once

#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"
#include "core/buffer/order_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

/// Least recently used logical block first (CAVE 4.2 and Fig. 3, NCQ III). The resident pages of a
/// logical block form a cluster; any access to one of them makes the cluster most recent, and the
/// cluster leaves as a whole. O(1) per call; a victim costs O(n log n) in its pages, O(n) when they
/// arrived in ascending order.
class LruBlock final : public OrderPolicyIf {
  public:
    LruBlock(std::uint32_t capacity, std::uint32_t pages_per_block);

    [[nodiscard]] bool evicts_blocks() const override { return true; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    bool pop_victim(std::vector<FrameId>& frames) override;

  private:
    static constexpr std::uint32_t kNone = RecencyList::kNone;

    /// A resident page and its neighbours in the cluster, in order of arrival.
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
    };

    [[nodiscard]] std::uint32_t cluster_for(std::uint64_t lbn);
    void retire(std::uint32_t cluster);

    std::uint32_t pages_per_block_;
    std::vector<Page> pages_; ///< per frame
    std::vector<Cluster> clusters_;
    std::vector<std::uint32_t> free_clusters_; ///< stack
    FlatMap cluster_of_lbn_;
    RecencyList recency_; ///< over clusters
};

} // namespace cavern
