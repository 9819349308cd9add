#include "timed/channel/tlm_arbiter.h"

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

TlmArbiter::TlmArbiter(const sc_core::sc_module_name& name, std::uint32_t slots,
                       ArbiterPolicy policy, std::uint32_t age_limit, TimePs period,
                       GrantListenerIf& listener)
    : sc_module(name), slots_(slots), policy_(policy), rule_(make_grant_rule(policy, slots)),
      age_limit_(age_limit * period), listener_(listener), last_(slots - 1) {
    CAVERN_CHECK(slots >= 1 && slots <= kMaxRequesters, "an arbiter of 1 to 16 slots");
    SC_HAS_PROCESS(TlmArbiter);
    SC_METHOD(arbitrate);
    sensitive << decide_;
    dont_initialize();
}

void TlmArbiter::request(std::uint32_t slot, BusClass bus_class) {
    const std::uint32_t bit = 1u << slot;
    CAVERN_CHECK(slot < slots_ && (requests_ & bit) == 0, "a slot requests once, then waits");
    CAVERN_CHECK(free_at_ <= now_ps() || last_ != slot,
                 "the holder releases before it requests again");
    requests_ |= bit;
    if (policy_ != ArbiterPolicy::kRoundRobin) {
        classes_ = with_class(classes_, slot, static_cast<std::uint32_t>(bus_class));
        asked_at_[slot] = now_ps();
    }
    decide_when_free();
}

void TlmArbiter::release(std::uint32_t slot) {
    release_at(slot, now_ps());
}

void TlmArbiter::release_at(std::uint32_t slot, TimePs when) {
    CAVERN_CHECK(free_at_ == kNever && last_ == slot, "only the holder releases the bus, once");
    CAVERN_CHECK(when >= now_ps(), "the bus is released now or later");
    free_at_ = when;
    if (requests_ != 0) {
        decide_when_free();
    }
}

/// Asks for a decision at the moment the bus is free, after all calls of that instant.
void TlmArbiter::decide_when_free() {
    const TimePs now = now_ps();
    if (free_at_ > now) {
        if (free_at_ == kNever) {
            return;
        }
        if (events_ == nullptr) {
            notify_at(free_at_, decide_);
        } else if (awaited_ != free_at_) {
            awaited_ = free_at_;
            events_->schedule(free_at_, *this, kBusFree);
        }
    } else if (events_ == nullptr) {
        collecting_ = true;
        collecting_since_ = sc_core::sc_delta_count();
        notify_at(now, decide_);
    } else if (!collecting_) {
        collecting_ = true;
        events_->settle(*this, kDecide);
    }
}

void TlmArbiter::on_event(std::uint64_t what) {
    if (what == kBusFree) {
        if (requests_ != 0 && free_at_ <= now_ps()) {
            decide_when_free(); // calls of this instant may still be on their way
        }
        return;
    }
    collecting_ = false;
    if (requests_ != 0 && free_at_ <= now_ps()) {
        decide();
    }
}

/// Without an event queue: the end of a bus phase, and the decision a delta cycle after its first
/// call.
void TlmArbiter::arbitrate() {
    if (requests_ == 0 || free_at_ > now_ps()) {
        collecting_ = false;
        return; // a call in the delta cycle of the grant itself asked for one decision too many
    }
    if (!collecting_) {
        // Calls of this instant may still be on their way.
        decide_when_free();
        return;
    }
    if (collecting_since_ == sc_core::sc_delta_count()) {
        notify_at(now_ps(), decide_); // the same, or a call before the simulation began
        return;
    }
    collecting_ = false;
    decide();
}

void TlmArbiter::decide() {
    const std::uint32_t slot = rule_->grant({requests_, classes_, aged(), last_});
    requests_ &= ~(1u << slot);
    last_ = slot;
    free_at_ = kNever;
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
