#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace cavern {

struct DramProblem {
    std::vector<std::string> keys; ///< of which the last one given is at fault
    std::string what;
    std::string right; ///< what would be right
};

/// What is wrong with the SDRAM of a drive: its part, or how many of them there are.
[[nodiscard]] std::optional<DramProblem> find_dram_problem(const SsdConfig& config);

/// Bytes at the end of the SDRAM that the map takes: none without dram.map_traffic.
[[nodiscard]] std::uint64_t map_bytes(const SsdConfig& config);

} // namespace cavern
