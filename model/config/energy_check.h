#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"

namespace cavern {

/// What keeps the supplies of the parts from giving an energy: a current without its voltage, an
/// SDRAM with some of its currents, or currents that IDD cannot have.
[[nodiscard]] std::optional<ConfigProblem> find_energy_problem(const DrivePlan& config);

} // namespace cavern
