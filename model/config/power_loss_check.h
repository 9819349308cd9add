#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps the keys power_loss.* from describing a loss of power that this drive survives.
[[nodiscard]] std::optional<ConfigProblem> find_power_loss_problem(const DrivePlan& config);

} // namespace cavern
