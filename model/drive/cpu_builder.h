#pragma once

#include <memory>

#include "config/config.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

/// What decisions cost on the processors of a configuration; null: nothing (cpu.model = none).
std::unique_ptr<DecisionCostIf> make_decision_cost(const CpuConfig& config);

} // namespace cavern
