#include "timed/channel/tlm_arbiter.h"

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

TlmArbiter::TlmArbiter(const sc_core::sc_module_name& name, std::uint32_t slots,
                       ArbiterPolicy policy, std::uint32_t age_limit, TimePs period,
                       GrantListenerIf& listener)
    : sc_module(name), slots_(slots), policy_(policy), age_limit_(age_limit * period),
      listener_(listener), last_(slots - 1) {
    CAVERN_CHECK(slots >= 1 && slots <= kMaxRequesters, "an arbiter of 1 to 16 slots");
    SC_HAS_PROCESS(TlmArbiter);
    SC_METHOD(arbitrate);
    sensitive << decide_;
    dont_initialize();
}

void TlmArbiter::request(std::uint32_t slot, BusClass bus_class) {
    const std::uint32_t bit = 1u << slot;
    CAVERN_CHECK(slot < slots_ && (requests_ & bit) == 0, "a slot requests once, then waits");
    CAVERN_CHECK(!held_ || last_ != slot, "the holder releases before it requests again");
    requests_ |= bit;
    if (policy_ == ArbiterPolicy::kPriorityAge) {
        classes_ = with_class(classes_, slot, static_cast<std::uint32_t>(bus_class));
        asked_at_[slot] = now_ps();
    }
    if (!held_) {
        decide_.notify(sc_core::SC_ZERO_TIME);
    }
}

void TlmArbiter::release(std::uint32_t slot) {
    CAVERN_CHECK(held_ && last_ == slot, "only the holder releases the bus");
    held_ = false;
    if (requests_ != 0) {
        decide_.notify(sc_core::SC_ZERO_TIME);
    }
}

void TlmArbiter::arbitrate() {
    if (held_) {
        return; // a call in the delta cycle of the grant itself asked for one decision too many
    }
    const std::uint32_t slot = choose(policy_, {requests_, classes_, aged(), last_});
    requests_ &= ~(1u << slot);
    last_ = slot;
    held_ = true;
    listener_.granted(slot);
}

std::uint32_t TlmArbiter::aged() const {
    if (policy_ != ArbiterPolicy::kPriorityAge) {
        return 0;
    }
    const TimePs now = now_ps();
    std::uint32_t mask = 0;
    for_each_slot(requests_, [&](std::uint32_t slot) {
        if (now - asked_at_[slot] >= age_limit_) {
            mask |= 1u << slot;
        }
    });
    return mask;
}

} // namespace cavern
