#pragma once

#include <cstdint>
#include <vector>

#include "core/base/knob.h"
#include "core/buffer/cluster_table.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"
#include "core/buffer/size_buckets.h"

namespace cavern {

class StateArchive;

struct ClcParams {
    double alpha = 0.1; ///< share of clusters in the size-independent list

    static constexpr auto knobs = knobs_of(
        knob<&ClcParams::alpha>("alpha", "CLC keeps this share of the buffered logical blocks in "
                                         "its list that ignores their size")
            .within(0.0, 1.0));
};

/// CLC, cold and largest cluster first (Kang, Park, Jung, Shim, Cha, IEEE TC 2009; CAVE 3.1).
/// Touched clusters are on one LRU list whatever their size; beyond `alpha` of all clusters (at
/// least one) the oldest of it move to lists by size. The victim is the oldest of the largest
/// there, or, with nothing there, the LRU cluster. O(1) per call.
class Clc final : public EvictionPolicyIf {
  public:
    using Params = ClcParams;

    Clc(const EvictionPolicyContext& context, const Params& params)
        : Clc(context.capacity, context.geometry.pages_per_block, params.alpha) {}
    /// `alpha` in 0..1; 0 is close to FAB, 1 is block LRU.
    Clc(std::uint32_t capacity, std::uint32_t pages_per_block, double alpha);

    [[nodiscard]] bool evicts_blocks() const override { return true; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    /// A cold cluster that TRIM makes smaller becomes the newest of its new size.
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    static constexpr std::uint32_t kNone = ClusterTable::kNone;

    void touch(std::uint32_t cluster);
    void unlist(std::uint32_t cluster);

    ClusterTable clusters_;
    RecencyList recent_; ///< the size-independent list
    SizeBuckets cold_;   ///< the size-dependent lists
    double alpha_;
};

} // namespace cavern
