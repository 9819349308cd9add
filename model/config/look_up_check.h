#pragma once

#include <optional>

#include "config/config_problem.h"
#include "config/drive_plan.h"
#include "firmware/lookup/cost/look_up_cost.h"

namespace cavern {

/// What keeps `cpu.look_up` from costing what its firmware takes on this drive. The firmware's data
/// cache holds the pages of the buffer, so that this must work as the cache does: pages read and
/// written in the order of their use, the oldest leaving when there is no room.
[[nodiscard]] std::optional<ConfigProblem> find_look_up_problem(const DrivePlan& config);

/// The firmware's cache as a buffer of this drive; cpu.look_up must not be none.
[[nodiscard]] LookUpCost::Params look_up_params(const DrivePlan& config,
                                                std::uint64_t logical_pages);

} // namespace cavern
