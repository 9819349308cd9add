#pragma once

#include <cstdint>
#include <vector>

#include "core/base/knob.h"
#include "core/buffer/cluster_table.h"
#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

struct BplruParams {
    bool pad = true;
    bool compensate = true;

    static constexpr auto knobs = knobs_of(
        knob<&BplruParams::pad>("pad", "BPLRU writes a block that leaves whole: it reads the pages "
                                       "that the buffer does not hold"),
        knob<&BplruParams::compensate>("compensate",
                                       "BPLRU evicts a block next once it was written "
                                       "in order from its first page to its last"));
};

/// BPLRU (Kim & Ahn, FAST 2008): block LRU with two additions. *Page padding*: a block that leaves
/// is written whole (the buffer adds the missing pages). *LRU compensation*: a block written page
/// by page from its first to its last, and not otherwise since it came, leaves next, for it will
/// hardly be written again; of two such blocks the later one. O(1) per call.
class Bplru final : public EvictionPolicyIf {
  public:
    using Params = BplruParams;

    Bplru(const EvictionPolicyContext& context, const Params& params)
        : Bplru(context.capacity, context.geometry.pages_per_block, params.pad, params.compensate) {
    }
    Bplru(std::uint32_t capacity, std::uint32_t pages_per_block, bool pad, bool compensate);

    [[nodiscard]] bool evicts_blocks() const override { return true; }
    [[nodiscard]] bool pads_blocks() const override { return pad_; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId frame, Lpn lpn, Access access) override;
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    void access(std::uint32_t cluster, Lpn lpn, Access access);

    ClusterTable clusters_;
    RecencyList recency_; ///< over clusters
    bool pad_;
    bool compensate_;
    /// Per cluster: the offset that continues the sequence; kBroken when it was left.
    std::vector<std::uint32_t> expected_;
};

} // namespace cavern
