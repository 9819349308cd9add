#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/arbiter/arbiter_rules.h"
#include "core/arbiter/clocked_arbiter_if.h"

namespace cavern {

/// C++ twin of rtl/channel_arbiter.sv and rtl/weighted_arbiter.sv, edge by edge and bit by bit at
/// its ports: what the RTL is compared with in lockstep.
class ReferenceArbiter final : public ClockedArbiterIf {
  public:
    /// `slots` 1..kMaxRequesters; `age_limit` in cycles, used by priority-age only.
    ReferenceArbiter(std::uint32_t slots, ArbiterPolicy policy, std::uint32_t age_limit);
    /// With a rule of the policy that has other parameters than the table's.
    ReferenceArbiter(std::uint32_t slots, ArbiterPolicy policy, std::uint32_t age_limit,
                     std::unique_ptr<GrantRuleIf> rule);

    ArbiterOutputs step(const ArbiterInputs& inputs) override;

  private:
    [[nodiscard]] std::uint32_t aged(const ArbiterInputs& inputs, std::uint32_t requests) const;

    ArbiterPolicy policy_;
    std::unique_ptr<GrantRuleIf> rule_;
    std::uint32_t age_limit_;
    std::uint32_t lines_; ///< mask of the request lines that exist
    std::uint32_t last_;  ///< slot granted last; the highest after reset, so that 0 comes first
    std::uint32_t waiting_ = 0;
    std::array<std::uint32_t, kMaxRequesters>
        stamp_{}; ///< edge a waiting request was first seen at
    ArbiterOutputs outputs_;
};

} // namespace cavern
