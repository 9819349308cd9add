#pragma once

#include <cstdint>

#include "firmware/lookup/cost/look_up_cost.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

/// `cpu.look_up`: pages cost what the firmware's look-up takes, commands and flash operations so
/// many cycles each. Pages that a TRIM covers are not looked up, and stay in the firmware's cache.
class LookUpCosts final : public DecisionCostIf {
  public:
    /// Of the cycles, those of pages are not used. `written` pages are in flash at the start.
    LookUpCosts(const FixedCosts::Cycles& cycles, const LookUpCost::Params& cache,
                std::uint64_t written);

    std::uint64_t to_decide(const DeviceCommand& command, const CommandPages& pages) override;
    std::uint64_t to_hand_on(const DecisionWork& brought) override { return cycles_.of(brought); }
    [[nodiscard]] bool counts_work() const override { return cycles_.counts_work(); }

    [[nodiscard]] const LookUpCost& cache() const { return cache_; }

  private:
    FixedCosts::Cycles cycles_;
    LookUpCost cache_;
};

} // namespace cavern
