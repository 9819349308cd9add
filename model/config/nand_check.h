#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps the commands of the dies from working together.
[[nodiscard]] std::optional<ConfigProblem> find_nand_problem(const DrivePlan& config);

} // namespace cavern
