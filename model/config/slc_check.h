#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps a part from having blocks in SLC mode (`nand.slc_blocks`), or the translation layer
/// from using them.
[[nodiscard]] std::optional<ConfigProblem> find_slc_problem(const DrivePlan& config);

} // namespace cavern
