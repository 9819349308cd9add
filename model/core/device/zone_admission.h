#pragma once

#include <cstdint>

#include "core/device/command_pages.h"
#include "core/ftl/zone_states.h"

namespace cavern {

struct ZoneAdmission {
    ZoneStatus status = ZoneStatus::kSuccess;
    bool empties = false; ///< the zone, which held pages or may have
    std::uint32_t zone = 0;
};

/// What the zones say to a command, and what they remember of it. A zone append is put where its
/// zone is written next. Reads, FLUSH and TRIM always pass. A write covers whole pages of one zone:
/// the page is the logical block.
[[nodiscard]] ZoneAdmission admit_to_zone(ZoneStates& zones, DeviceCommand& command,
                                          std::uint32_t page_bytes);

} // namespace cavern
