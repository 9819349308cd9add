#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/buffer/eviction_policy.h"
#include "core/buffer/eviction_trigger.h"
#include "firmware/twin/decision_guide.h"

namespace cavern {

/// Evicts the pages that the firmware has named. Throws ModelError for one that is not in the frame
/// named, and for a unit whose pages do not ascend.
class GuidedPolicy final : public EvictionPolicyIf {
  public:
    /// `by_blocks`: a unit is a logical block.
    GuidedPolicy(DecisionGuide& guide, const EvictionPolicyContext& context, bool by_blocks)
        : guide_(guide), geometry_(context.geometry), by_blocks_(by_blocks),
          lpn_of_(context.capacity, kNoLpn) {}

    [[nodiscard]] bool evicts_blocks() const override { return by_blocks_; }
    void on_insert(FrameId frame, Lpn lpn, Access) override { lpn_of_[raw(frame)] = lpn; }
    void on_hit(FrameId, Lpn, Access) override {}
    void remove(FrameId frame, Lpn) override { lpn_of_[raw(frame)] = kNoLpn; }
    void drain_order(std::vector<FrameId>& frames) const override;
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override;

  private:
    DecisionGuide& guide_;
    Geometry geometry_;
    bool by_blocks_;
    std::vector<Lpn> lpn_of_; ///< by frame
};

/// Evicts the number of units that the firmware has said. The configuration says what an insert
/// waits for.
class GuidedTrigger final : public EvictionTriggerIf {
  public:
    GuidedTrigger(const DecisionGuide& guide, std::unique_ptr<EvictionTriggerIf> configured)
        : guide_(guide), configured_(std::move(configured)) {}

    [[nodiscard]] std::uint32_t units_on_full() const override {
        const Batch* batch = guide_.batch();
        return batch == nullptr || batch->units == 0 ? 1 : batch->units;
    }
    [[nodiscard]] bool wants_more(const BufferLoad&) override { return false; }
    [[nodiscard]] bool insert_waits_for_batch() const override {
        return configured_->insert_waits_for_batch();
    }

  private:
    const DecisionGuide& guide_;
    std::unique_ptr<EvictionTriggerIf> configured_;
};

} // namespace cavern
