#include "core/arbiter/weighted_rule.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"

namespace cavern {

WeightedRule::WeightedRule(std::uint32_t slots, const std::array<std::uint32_t, 3>& weights)
    : weights_(weights), credits_(weights) {
    last_.fill(slots - 1); // so that slot 0 comes first
}

std::uint32_t WeightedRule::grant(const ArbiterView& view) {
    CAVERN_CHECK(view.requests != 0, "there is a request to choose from");
    std::array<std::uint32_t, 3> wanting{};
    for_each_slot(view.requests, [&](std::uint32_t slot) {
        const std::uint32_t bus_class = (view.classes >> (2 * slot)) & 3u;
        wanting[std::min(bus_class, 2u)] |= 1u << slot;
    });

    const auto first = [&](auto eligible) {
        std::size_t c = 0;
        while (c < wanting.size() && (wanting[c] == 0 || !eligible(c))) {
            ++c;
        }
        return c;
    };
    std::size_t served = first([&](std::size_t c) { return credits_[c] != 0; });
    if (served == wanting.size()) {
        credits_ = weights_;
        served = first([](std::size_t) { return true; });
    }
    --credits_[served];
    last_[served] = next_after(wanting[served], last_[served]);
    return last_[served];
}

std::unique_ptr<GrantRuleIf> make_weighted_rule(std::uint32_t slots) {
    return std::make_unique<WeightedRule>(slots);
}

} // namespace cavern
