#include "firmware/controller/firmware_parts.h"

#include "core/buffer/cave_trigger.h"
#include "firmware/twin/guided_allocator.h"
#include "firmware/twin/guided_buffer.h"
#include "firmware/twin/guided_ftl.h"

namespace cavern {

FirmwareParams firmware_params(const DrivePlan& config) {
    const BufferConfig& buffer = config.buffer;
    const AllocatorRow& allocator = *config.alloc.scheme;
    FirmwareParams params;
    params.geometry = config.geometry;
    params.scheme = config.ftl.scheme->name;
    params.ftl = config.ftl_params;
    params.policy = buffer.policy != nullptr ? buffer.policy->name : "none";
    params.frames = buffer.policy != nullptr ? config.frames : 0;
    params.eviction.clear();
    for (const EvictionTriggerRow* trigger : buffer.eviction) {
        params.eviction.push_back(trigger->name);
    }
    const SchemeParams& cave = buffer.trigger_params[*find_eviction_trigger("cave")];
    params.cave_victims = params_in<CaveParams>(cave).victims;
    params.read_touch = buffer.read_touch;
    params.cache_reads = buffer.cache_reads;
    params.flush_keep = buffer.flush_keep;
    params.keeps_sectors = config.keeps_sectors;
    params.ncq_aware = buffer.ncq_aware;
    params.adaptive = config.ftl.adaptive;
    params.allocator = allocator.name;
    if (allocator.mode != nullptr) {
        params.mode = allocator.mode(config.alloc.params[allocator]);
    }
    return params;
}

std::unique_ptr<FtlIf> GuidedParts::make_ftl(const DrivePlan& config, DecisionLogIf* log) {
    return std::make_unique<GuidedFtl>(*guide_, config.geometry, config.ftl_params, log);
}

std::unique_ptr<AllocatorIf> GuidedParts::make_allocator(const DrivePlan& config,
                                                         const AllocatorContext& context) {
    return std::make_unique<GuidedAllocator>(*guide_, context.geometry,
                                             config.alloc.scheme->mode != nullptr, context.log);
}

std::unique_ptr<EvictionPolicyIf> GuidedParts::make_policy(const DrivePlan& config,
                                                           const EvictionPolicyContext& context) {
    const bool by_blocks = DecidingParts::make_policy(config, context)->evicts_blocks();
    return std::make_unique<GuidedPolicy>(*guide_, context, by_blocks);
}

std::unique_ptr<EvictionTriggerIf> GuidedParts::make_trigger(const DrivePlan& config) {
    return std::make_unique<GuidedTrigger>(*guide_, DecidingParts::make_trigger(config));
}

} // namespace cavern
