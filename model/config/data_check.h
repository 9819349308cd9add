#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps a drive from holding data (`data.store`).
[[nodiscard]] std::optional<ConfigProblem> find_data_problem(const DrivePlan& config);

} // namespace cavern
