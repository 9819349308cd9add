#include "core/arbiter/reference_arbiter.h"

#include <utility>

#include "core/base/check.h"

namespace cavern {

ReferenceArbiter::ReferenceArbiter(std::uint32_t slots, ArbiterPolicy policy,
                                   std::uint32_t age_limit)
    : ReferenceArbiter(slots, policy, age_limit, make_grant_rule(policy, slots)) {}

ReferenceArbiter::ReferenceArbiter(std::uint32_t slots, ArbiterPolicy policy,
                                   std::uint32_t age_limit, std::unique_ptr<GrantRuleIf> rule)
    : policy_(policy), rule_(std::move(rule)), age_limit_(age_limit), lines_((1u << slots) - 1),
      last_(slots - 1) {
    CAVERN_CHECK(slots >= 1 && slots <= kMaxRequesters, "an arbiter of 1 to 16 slots");
}

ArbiterOutputs ReferenceArbiter::step(const ArbiterInputs& inputs) {
    const std::uint32_t requests = inputs.request & lines_;
    std::uint32_t winner = 0;

    const bool free = !outputs_.valid || inputs.release;
    if (free && requests != 0) {
        const std::uint32_t slot =
            rule_->grant({requests, inputs.classes, aged(inputs, requests), last_});
        winner = 1u << slot;
        last_ = slot;
        outputs_ = {true, winner, slot};
    } else if (inputs.release) {
        outputs_ = {false, 0, outputs_.index};
    }

    const std::uint32_t still_waiting = requests & ~winner;
    for_each_slot(still_waiting & ~waiting_,
                  [&](std::uint32_t slot) { stamp_[slot] = inputs.time; });
    waiting_ = still_waiting;
    return outputs_;
}

std::uint32_t ReferenceArbiter::aged(const ArbiterInputs& inputs, std::uint32_t requests) const {
    if (policy_ != ArbiterPolicy::kPriorityAge) {
        return 0;
    }
    std::uint32_t mask = 0;
    for_each_slot(requests, [&](std::uint32_t slot) {
        const bool waiting = ((waiting_ >> slot) & 1u) != 0;
        const std::uint32_t age = waiting ? inputs.time - stamp_[slot] : 0;
        if (age >= age_limit_) {
            mask |= 1u << slot;
        }
    });
    return mask;
}

} // namespace cavern
