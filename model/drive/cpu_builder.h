#pragma once

#include <cstdint>
#include <memory>

#include "config/drive_plan.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

/// What decisions cost on the processors of a configuration (cpu.model = cost); null: nothing, or
/// what its controller says. The drive has `logical_pages`.
std::unique_ptr<DecisionCostIf> make_decision_cost(const DrivePlan& config,
                                                   std::uint64_t logical_pages);

} // namespace cavern
