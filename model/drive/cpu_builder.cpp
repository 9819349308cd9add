#include "drive/cpu_builder.h"

#include "drive/look_up_costs.h"

namespace cavern {
namespace {

std::unique_ptr<DecisionCostIf> make_costs(const DrivePlan& config, std::uint64_t logical_pages) {
    const CpuConfig& cpu = config.cpu;
    const FixedCosts::Cycles cycles{
        cpu.command_cycles,  cpu.read_cycles,       cpu.write_cycles, cpu.operation_cycles,
        cpu.eviction_cycles, cpu.allocation_cycles, cpu.map_cycles,   cpu.collection_cycles};
    if (cpu.look_up == CpuLookUp::kNone) {
        return std::make_unique<FixedCosts>(cycles);
    }
    // As precondition() has it: pages from 0 on.
    const auto written =
        static_cast<std::uint64_t>(config.precondition.fill * static_cast<double>(logical_pages));
    return std::make_unique<LookUpCosts>(cycles, look_up_params(config, logical_pages), written);
}

} // namespace

std::unique_ptr<DecisionCostIf> make_decision_cost(const DrivePlan& config,
                                                   std::uint64_t logical_pages) {
    return config.cpu.model == CpuModel::kCost ? make_costs(config, logical_pages) : nullptr;
}

} // namespace cavern
