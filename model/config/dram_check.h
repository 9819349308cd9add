#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/drive_plan.h"

namespace cavern {

struct DramProblem {
    std::vector<std::string> keys; ///< of which the last one given is at fault
    std::string what;
    std::string right; ///< what would be right
};

/// What is wrong with the SDRAM of a drive: its part, or how many of them there are.
[[nodiscard]] std::optional<DramProblem> find_dram_problem(const DrivePlan& config);

} // namespace cavern
