#pragma once

#include <array>
#include <cstdint>

#include "core/arbiter/arbiter_rules.h"

namespace cavern {

/// Grants a class gets before all credits are filled up again, by BusClass: the defaults of the
/// parameters of rtl/weighted_arbiter.sv.
inline constexpr std::array<std::uint32_t, 3> kClassWeights{4, 4, 1};

/// Weighted round robin over bus classes, round robin within each: C++ twin of the decisions of
/// rtl/weighted_arbiter.sv, whose header states rule and fairness. O(1) a grant.
class WeightedRule final : public GrantRuleIf {
  public:
    /// `slots` 1..kMaxRequesters, each weight 1..15.
    explicit WeightedRule(std::uint32_t slots,
                          const std::array<std::uint32_t, 3>& weights = kClassWeights);

    std::uint32_t grant(const ArbiterView& view) override;

  private:
    std::array<std::uint32_t, 3> weights_;
    std::array<std::uint32_t, 3> credits_;
    std::array<std::uint32_t, 3> last_{}; ///< slot of each class granted last
};

} // namespace cavern
