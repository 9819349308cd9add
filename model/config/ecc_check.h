#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps the keys ecc.* from describing an ECC engine of this drive.
[[nodiscard]] std::optional<ConfigProblem> find_ecc_problem(const DrivePlan& config);

} // namespace cavern
