#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/eviction_policy.h"
#include "core/buffer/recency_list.h"

namespace cavern {

class StateArchive;

/// First in, first out: the page that has been resident longest leaves first, however often it was
/// used meanwhile. O(1) per call; a victim costs a step more for each pinned page it passes over.
class Fifo final : public EvictionPolicyIf {
  public:
    explicit Fifo(const EvictionPolicyContext& context) : Fifo(context.capacity) {}
    explicit Fifo(std::uint32_t capacity) : arrivals_(capacity), lpns_(capacity, kNoLpn) {}

    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override;
    void on_hit(FrameId, Lpn, Access) override {}
    void remove(FrameId frame, Lpn lpn) override;
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;
    void serialize(StateArchive& archive) override;

  private:
    RecencyList arrivals_;  ///< over frames, oldest arrival first
    std::vector<Lpn> lpns_; ///< per frame
};

} // namespace cavern
