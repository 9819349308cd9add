#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/cluster_table.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

/// Least recently used logical block first (CAVE 4.2 and Fig. 3, NCQ III). The resident pages of a
/// logical block form a cluster; any access to one of them makes the cluster most recent, and the
/// cluster leaves as a whole. O(1) per call; a victim costs O(n log n) in its pages, O(n) when they
/// arrived in ascending order, and a step more for each pinned cluster it passes over.
class LruBlock final : public EvictionPolicyIf {
  public:
    explicit LruBlock(const EvictionPolicyContext& context)
        : LruBlock(context.capacity, context.geometry.pages_per_block) {}
    LruBlock(std::uint32_t capacity, std::uint32_t pages_per_block)
        : clusters_(capacity, pages_per_block), recency_(capacity) {}

    [[nodiscard]] bool evicts_blocks() const override { return true; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    ClusterTable clusters_;
    RecencyList recency_; ///< over clusters
};

} // namespace cavern
