#include "drive/firmware_parts.h"

#include "core/buffer/cave_trigger.h"
#include "drive/core_builder.h"

namespace cavern {

FirmwareParams firmware_params(const SsdConfig& config) {
    const BufferConfig& buffer = config.buffer;
    const AllocatorRow& allocator = *config.alloc.scheme;
    FirmwareParams params;
    params.geometry = drive_geometry(config);
    params.scheme = config.ftl.scheme->name;
    params.ftl = ftl_params(config);
    params.policy = buffer.policy != nullptr ? buffer.policy->name : "none";
    params.frames = buffer.policy != nullptr ? buffer_frames(config) : 0;
    params.eviction.clear();
    for (const EvictionTriggerRow* trigger : buffer.eviction) {
        params.eviction.push_back(trigger->name);
    }
    const SchemeParams& cave = buffer.trigger_params[*find_eviction_trigger("cave")];
    params.cave_victims = params_in<CaveParams>(cave).victims;
    params.read_touch = buffer.read_touch;
    params.cache_reads = buffer.cache_reads;
    params.flush_keep = buffer.flush_keep;
    params.keeps_sectors = keeps_sectors(config);
    params.ncq_aware = buffer.ncq_aware;
    params.adaptive = config.ftl.adaptive;
    params.allocator = allocator.name;
    if (allocator.mode != nullptr) {
        params.mode = allocator.mode(config.alloc.params[allocator]);
    }
    return params;
}

} // namespace cavern
