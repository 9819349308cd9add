#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/units.h"
#include "timed/channel/channel_arbiter_if.h"

namespace cavern {

/// How a free bus is given away; the values are those of the parameter Policy of
/// rtl/channel_arbiter.sv, whose header states the rules.
enum class ArbiterPolicy : std::uint8_t {
    kRoundRobin = 0,  ///< the first requesting slot cyclically after the one granted last
    kPriorityAge = 1, ///< aged requests, then by class; equals by round robin
};

/// A row of the table of policies.
struct ArbiterPolicyRow {
    std::string_view name;
    ArbiterPolicy policy;
    std::string_view summary;
};

inline constexpr std::array<ArbiterPolicyRow, 2> kArbiterPolicies{{
    {"round-robin", ArbiterPolicy::kRoundRobin, "each requesting die in turn"},
    {"priority-age", ArbiterPolicy::kPriorityAge,
     "read-out before command before program data; a request that waited age_limit cycles goes "
     "first"},
}};

[[nodiscard]] std::optional<ArbiterPolicy> find_arbiter_policy(std::string_view name);

/// Length of a clock cycle, rounded to the nearest picosecond. Throws ModelError outside 1 Hz..100
/// GHz.
[[nodiscard]] TimePs clock_period(std::uint64_t hertz);

/// What a decision rests on. Bit w of a mask stands for slot w.
struct ArbiterView {
    std::uint32_t requests = 0; ///< not 0
    std::uint32_t classes = 0;  ///< two bits a slot; the smaller is the more urgent
    std::uint32_t aged = 0;     ///< requests that have waited the age limit or longer
    std::uint32_t last = 0;     ///< slot granted last
};

/// The slot to be granted.
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
