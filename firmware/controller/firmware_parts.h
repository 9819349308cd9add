#pragma once

#include <memory>
#include <utility>

#include "config/drive_plan.h"
#include "drive/deciding_parts.h"
#include "firmware/twin/decision_guide.h"
#include "firmware/twin/firmware_params.h"

namespace cavern {

/// What the firmware has to be for this configuration; firmware_why_not() says whether it can.
[[nodiscard]] FirmwareParams firmware_params(const DrivePlan& config);

/// `cpu.decides = "firmware"`: parts that choose what the firmware answers.
class GuidedParts final : public DecidingParts {
  public:
    explicit GuidedParts(std::shared_ptr<FirmwareIf> firmware)
        : guide_(std::make_unique<DecisionGuide>(std::move(firmware))) {}

    [[nodiscard]] std::unique_ptr<FtlIf> make_ftl(const DrivePlan& config,
                                                  DecisionLogIf* log) override;
    [[nodiscard]] std::unique_ptr<AllocatorIf>
    make_allocator(const DrivePlan& config, const AllocatorContext& context) override;
    [[nodiscard]] std::unique_ptr<EvictionPolicyIf>
    make_policy(const DrivePlan& config, const EvictionPolicyContext& context) override;
    [[nodiscard]] std::unique_ptr<EvictionTriggerIf> make_trigger(const DrivePlan& config) override;
    [[nodiscard]] std::unique_ptr<DecisionLogIf> make_listener() override {
        return std::move(guide_);
    }

  private:
    std::unique_ptr<DecisionGuide> guide_; ///< the listener of the core, which the parts know
};

} // namespace cavern
