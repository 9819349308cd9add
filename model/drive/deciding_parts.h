#pragma once

#include <memory>

#include "config/drive_plan.h"
#include "core/drive/drive_core.h"

namespace cavern {

/// The parts of a core that decide, as a configuration has them. What decides in their place, or is
/// asked beside them, is handed to build_core() as a class that overrides some. For one core.
class DecidingParts {
  public:
    virtual ~DecidingParts() = default;
    [[nodiscard]] virtual std::unique_ptr<FtlIf> make_ftl(const DrivePlan& config,
                                                          DecisionLogIf* log);
    [[nodiscard]] virtual std::unique_ptr<AllocatorIf>
    make_allocator(const DrivePlan& config, const AllocatorContext& context);
    [[nodiscard]] virtual std::unique_ptr<EvictionPolicyIf>
    make_policy(const DrivePlan& config, const EvictionPolicyContext& context);
    [[nodiscard]] virtual std::unique_ptr<EvictionTriggerIf> make_trigger(const DrivePlan& config);
    /// Who hears of every page that the core decides (DriveCore::listen). Asked for last.
    [[nodiscard]] virtual std::unique_ptr<DecisionLogIf> make_listener() { return nullptr; }
};

} // namespace cavern
