#include "core/arbiter/arbiter_rules.h"

#include <cstddef>

#include "core/base/check.h"

namespace cavern {
namespace {

/// The requests that share the smallest class present.
std::uint32_t most_urgent(std::uint32_t requests, std::uint32_t classes) {
    std::uint32_t best = 4;
    std::uint32_t chosen = 0;
    for_each_slot(requests, [&](std::uint32_t slot) {
        const std::uint32_t bus_class = (classes >> (2 * slot)) & 3u;
        if (bus_class < best) {
            best = bus_class;
            chosen = 0;
        }
        if (bus_class == best) {
            chosen |= 1u << slot;
        }
    });
    return chosen;
}

template <ArbiterPolicy kPolicy>
class MemorylessRule final : public GrantRuleIf {
  public:
    std::uint32_t grant(const ArbiterView& view) override { return choose(kPolicy, view); }
};

} // namespace

std::unique_ptr<GrantRuleIf> make_round_robin_rule(std::uint32_t) {
    return std::make_unique<MemorylessRule<ArbiterPolicy::kRoundRobin>>();
}

std::unique_ptr<GrantRuleIf> make_priority_age_rule(std::uint32_t) {
    return std::make_unique<MemorylessRule<ArbiterPolicy::kPriorityAge>>();
}

std::unique_ptr<GrantRuleIf> make_grant_rule(ArbiterPolicy policy, std::uint32_t slots) {
    const ArbiterPolicyRow& row = kArbiterPolicies[static_cast<std::size_t>(policy)];
    CAVERN_CHECK(row.policy == policy, "the table of arbiter policies is in their order");
    return row.make_rule(slots);
}

std::uint32_t next_after(std::uint32_t candidates, std::uint32_t last) {
    const std::uint32_t ahead = candidates & ~((2u << last) - 1);
    return static_cast<std::uint32_t>(__builtin_ctz(ahead != 0 ? ahead : candidates));
}

std::optional<ArbiterPolicy> find_arbiter_policy(std::string_view name) {
    for (const ArbiterPolicyRow& row : kArbiterPolicies) {
        if (row.name == name) {
            return row.policy;
        }
    }
    return std::nullopt;
}

TimePs clock_period(std::uint64_t hertz) {
    CAVERN_CHECK(hertz >= 1 && hertz <= 100'000'000'000, "an arbiter clock of 1 Hz to 100 GHz");
    return (kSecond + hertz / 2) / hertz;
}

std::uint32_t choose(ArbiterPolicy policy, const ArbiterView& view) {
    CAVERN_CHECK(view.requests != 0, "there is a request to choose from");
    if (policy == ArbiterPolicy::kRoundRobin) {
        return next_after(view.requests, view.last);
    }
    CAVERN_CHECK(policy == ArbiterPolicy::kPriorityAge, "this policy decides with memory");
    const std::uint32_t aged = view.requests & view.aged;
    return next_after(aged != 0 ? aged : most_urgent(view.requests, view.classes), view.last);
}

} // namespace cavern
