#include "drive/cpu_builder.h"

namespace cavern {

std::unique_ptr<DecisionCostIf> make_decision_cost(const CpuConfig& config) {
    switch (config.model) {
    case CpuModel::kNone:
        break;
    case CpuModel::kCost:
        return std::make_unique<FixedCosts>(
            FixedCosts::Cycles{config.command_cycles, config.read_cycles, config.write_cycles,
                               config.operation_cycles});
    }
    return nullptr;
}

} // namespace cavern
