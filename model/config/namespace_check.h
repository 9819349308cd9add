#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps the namespace from being what its keys say: one whose host says what belongs together
/// (host.fdp), or which has zones (ftl.scheme = zoned).
[[nodiscard]] std::optional<ConfigProblem> find_namespace_problem(const DrivePlan& config);

} // namespace cavern
