#include "drive/deciding_parts.h"

namespace cavern {

std::unique_ptr<FtlIf> DecidingParts::make_ftl(const DrivePlan& config, DecisionLogIf* log) {
    return config.ftl.scheme->make(config.geometry, config.ftl_params, log);
}

std::unique_ptr<AllocatorIf> DecidingParts::make_allocator(const DrivePlan& config,
                                                           const AllocatorContext& context) {
    const AllocatorRow& row = *config.alloc.scheme;
    return row.make(context, config.alloc.params[row]);
}

std::unique_ptr<EvictionPolicyIf> DecidingParts::make_policy(const DrivePlan& config,
                                                             const EvictionPolicyContext& context) {
    const EvictionPolicyRow& row = *config.buffer.policy;
    return row.make(context, config.buffer.policy_params[row]);
}

std::unique_ptr<EvictionTriggerIf> DecidingParts::make_trigger(const DrivePlan& config) {
    return make_eviction_trigger(config.buffer.eviction, {config.geometry},
                                 config.buffer.trigger_params);
}

} // namespace cavern
