#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/cluster_table.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/rank_heap.h"
#include "core/buffer/size_buckets.h"

namespace cavern {

class StateArchive;

/// FAB (Jo, Kang, Park, Kim, Lee, IEEE TCE 2006; CAVE 3.1): the logical block with most resident
/// pages leaves first, of several the one least recently touched. O(1) per call; TRIM, which makes
/// a block smaller without touching it, costs O(log n).
class Fab final : public EvictionPolicyIf {
  public:
    explicit Fab(const EvictionPolicyContext& context)
        : Fab(context.capacity, context.geometry.pages_per_block) {}
    Fab(std::uint32_t capacity, std::uint32_t pages_per_block);

    [[nodiscard]] bool evicts_blocks() const override { return true; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    static constexpr std::uint32_t kNone = ClusterTable::kNone;

    void touch(std::uint32_t cluster);
    void unlist(std::uint32_t cluster);

    ClusterTable clusters_;
    // A touched cluster is the newest of all, so it goes to the new end of its bucket. One that
    // TRIM made smaller has its place among those of its new size, and waits in the heap until
    // touched.
    SizeBuckets touched_;
    RankHeap trimmed_;
    std::vector<std::uint64_t> touched_at_; ///< per cluster: number of its latest touch
    std::uint64_t touches_ = 0;
};

} // namespace cavern
