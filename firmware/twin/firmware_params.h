#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/alloc/block_round_robin.h"
#include "core/base/geometry.h"
#include "core/base/refusal.h"
#include "core/ftl/ftl_params.h"
#include "firmware/drive/config.h"

namespace cavern {

/// The parts of a decision core, in the words of a configuration: the firmware is to be a twin of
/// it.
struct FirmwareParams {
    Geometry geometry;
    std::string_view scheme = "page"; ///< ftl.scheme
    FtlParams ftl;
    std::string_view policy = "lru-page";                ///< buffer.policy
    std::uint32_t frames = 0;                            ///< of the buffer; 0 with policy none
    std::vector<std::string_view> eviction = {"single"}; ///< buffer.eviction
    std::uint32_t cave_victims = 0;                      ///< 0: as many as dies
    bool read_touch = false;
    bool cache_reads = false;
    bool flush_keep = false;
    bool keeps_sectors = false; ///< a ftl.unit in bytes, or data.store
    bool ncq_aware = false;
    bool adaptive = false; ///< memory divided between buffer and map
    std::string_view allocator = "block-round-robin";
    RoundRobinMode mode = RoundRobinMode::kFree;
};

/// Why the firmware cannot decide so, in the words of the configuration, with the keys that say so:
/// none where it is the size of the drive. Nothing if it can.
[[nodiscard]] Refused firmware_why_not(const FirmwareParams& params);

/// Makes the firmware's configuration of them. Throws ModelError with the reason if it cannot
/// decide so.
[[nodiscard]] drive_config firmware_config(const FirmwareParams& params);

} // namespace cavern
