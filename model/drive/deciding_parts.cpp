#include "drive/deciding_parts.h"

namespace cavern {

std::unique_ptr<FtlIf> DecidingParts::make_ftl(const SsdConfig& config, DecisionLogIf* log) {
    return config.ftl.scheme->make(drive_geometry(config), ftl_params(config), log);
}

std::unique_ptr<AllocatorIf> DecidingParts::make_allocator(const SsdConfig& config,
                                                           const AllocatorContext& context) {
    const AllocatorRow& row = *config.alloc.scheme;
    return row.make(context, config.alloc.params[row]);
}

std::unique_ptr<EvictionPolicyIf> DecidingParts::make_policy(const SsdConfig& config,
                                                             const EvictionPolicyContext& context) {
    const EvictionPolicyRow& row = *config.buffer.policy;
    return row.make(context, config.buffer.policy_params[row]);
}

std::unique_ptr<EvictionTriggerIf> DecidingParts::make_trigger(const SsdConfig& config) {
    return make_eviction_trigger(config.buffer.eviction, {drive_geometry(config)},
                                 config.buffer.trigger_params);
}

} // namespace cavern
