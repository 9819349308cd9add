#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/arbiter/channel_arbiter_if.h"
#include "core/base/units.h"

namespace cavern {

/// How a free bus is given away. The first two values are those of the parameter Policy of
/// rtl/channel_arbiter.sv, the third stands for rtl/weighted_arbiter.sv; the headers of these files
/// state the rules.
enum class ArbiterPolicy : std::uint8_t {
    kRoundRobin = 0,         ///< the first requesting slot cyclically after the one granted last
    kPriorityAge = 1,        ///< aged requests, then by class; equals by round robin
    kWeightedRoundRobin = 2, ///< classes by weight; equals by round robin
};

/// The inputs of a decision. Bit w of a mask stands for slot w.
struct ArbiterView {
    std::uint32_t requests = 0; ///< not 0
    std::uint32_t classes = 0;  ///< two bits a slot; the smaller is the more urgent
    std::uint32_t aged = 0;     ///< requests that have waited the age limit or longer
    std::uint32_t last = 0;     ///< slot granted last
};

/// A policy with what it remembers from grant to grant beyond the view.
class GrantRuleIf {
  public:
    virtual ~GrantRuleIf() = default;
    /// The slot to be granted. Called once for each grant, and for nothing else.
    virtual std::uint32_t grant(const ArbiterView& view) = 0;
};

/// `slots` 1..kMaxRequesters.
[[nodiscard]] std::unique_ptr<GrantRuleIf> make_round_robin_rule(std::uint32_t slots);
[[nodiscard]] std::unique_ptr<GrantRuleIf> make_priority_age_rule(std::uint32_t slots);
[[nodiscard]] std::unique_ptr<GrantRuleIf> make_weighted_rule(std::uint32_t slots);

/// A row of the table of policies; row n is the policy of value n.
struct ArbiterPolicyRow {
    std::string_view name;
    ArbiterPolicy policy;
    std::string_view summary;
    std::unique_ptr<GrantRuleIf> (*make_rule)(std::uint32_t slots);
};

inline constexpr std::array<ArbiterPolicyRow, 3> kArbiterPolicies{{
    {"round-robin", ArbiterPolicy::kRoundRobin, "each requesting die in turn",
     make_round_robin_rule},
    {"priority-age", ArbiterPolicy::kPriorityAge,
     "read-out before command before program data; a request that waited age_limit cycles goes "
     "first",
     make_priority_age_rule},
    {"weighted-round-robin", ArbiterPolicy::kWeightedRoundRobin,
     "read-out, command and program data in turn, four, four and one grants of nine where all ask",
     make_weighted_rule},
}};

/// The rule of `policy` for `slots` slots.
[[nodiscard]] std::unique_ptr<GrantRuleIf> make_grant_rule(ArbiterPolicy policy,
                                                           std::uint32_t slots);

[[nodiscard]] std::optional<ArbiterPolicy> find_arbiter_policy(std::string_view name);

/// Length of a clock cycle, rounded to the nearest picosecond. Throws ModelError outside 1 Hz..100
/// GHz.
[[nodiscard]] TimePs clock_period(std::uint64_t hertz);

/// The first of `candidates` (not 0) behind `last`, slots counted in a circle.
[[nodiscard]] std::uint32_t next_after(std::uint32_t candidates, std::uint32_t last);

/// The slot to be granted under a policy without memory: round robin or priority with ageing.
[[nodiscard]] std::uint32_t choose(ArbiterPolicy policy, const ArbiterView& view);

/// The class fields of `classes` with that of `slot` replaced.
[[nodiscard]] constexpr std::uint32_t with_class(std::uint32_t classes, std::uint32_t slot,
                                                 std::uint32_t bus_class) {
    return (classes & ~(3u << (2 * slot))) | (bus_class << (2 * slot));
}

/// Calls `visit(slot)` for each bit set in `mask`, lowest first.
template <typename Visitor>
constexpr void for_each_slot(std::uint32_t mask, Visitor visit) {
    for (; mask != 0; mask &= mask - 1) {
        visit(static_cast<std::uint32_t>(__builtin_ctz(mask)));
    }
}

} // namespace cavern
