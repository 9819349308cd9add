#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/generator.h"

namespace cavern {

/// Throws UserError naming the job where its zones make no sense.
void check_zones(const JobSpec& job, const std::string& file);

/// Zones of one size from `offset` of the drive on, of which `capacity` bytes are written.
struct ZoneLayout {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t capacity = 0;
    bool append = false; ///< by zone appends
};

/// Moves a write to where its zone goes on. `written`: bytes of each zone. A write `in_order` that
/// does not fit goes to the zone behind; `following` is then set to its end, from `offset` on.
/// Returns the reset that has to come first, if the zone has no room for it.
std::optional<HostRequest> place_in_zone(const ZoneLayout& zones, bool in_order,
                                         std::vector<std::uint64_t>& written,
                                         std::uint64_t& following, HostRequest& request);

} // namespace cavern
