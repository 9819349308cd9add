#include "drive/cpu_builder.h"

#include <cmath>

#include "firmware/lookup/cost/look_up_cost.h"

namespace cavern {
namespace {

/// `cpu.look_up`: pages cost what the firmware's look-up takes, commands and flash operations so
/// many cycles each. Pages that a TRIM covers are not looked up, and stay in the firmware's cache.
class LookUpCosts final : public DecisionCostIf {
  public:
    /// Of the cycles, those of pages are not used. `written` pages are in flash at the start.
    LookUpCosts(const FixedCosts::Cycles& cycles, const LookUpCost::Params& cache,
                std::uint64_t written)
        : cycles_(cycles), cache_(cache) {
        for (std::uint64_t page = 0; page < written; ++page) {
            cache_.prewrite(page);
        }
    }

    std::uint64_t to_decide(const DeviceCommand& command, const CommandPages& pages) override {
        double cycles = cycles_.command;
        if (moves_data(command.op)) {
            for (std::uint64_t page = pages.first; page < pages.end; ++page) {
                cycles += cache_.access(page, command.op == RequestOp::kWrite);
            }
        }
        return static_cast<std::uint64_t>(std::llround(cycles));
    }
    std::uint64_t to_hand_on(const DecisionWork& brought) override { return cycles_.of(brought); }
    [[nodiscard]] bool counts_work() const override { return cycles_.counts_work(); }

  private:
    FixedCosts::Cycles cycles_;
    LookUpCost cache_;
};

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
