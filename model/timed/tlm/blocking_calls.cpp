#include "timed/tlm/blocking_calls.h"

#include "timed/tlm/time.h"

namespace cavern {

BlockingCalls::Call::Call(BlockingCalls& calls, const tlm::tlm_generic_payload& payload)
    : calls_(calls), payload_(payload), next_(calls.first_) {
    calls.first_ = this;
}

BlockingCalls::Call::~Call() {
    Call** link = &calls_.first_;
    while (*link != this) {
        link = &(*link)->next_;
    }
    *link = next_;
}

TimePs BlockingCalls::Call::await() {
    while (!answered_) {
        sc_core::wait(event_);
    }
    return ahead_;
}

bool BlockingCalls::answer_one(const tlm::tlm_generic_payload& payload, TimePs ahead) {
    for (Call* call = first_; call != nullptr; call = call->next_) {
        if (&call->payload_ == &payload && !call->answered_) {
            call->answered_ = true;
            call->ahead_ = ahead;
            notify_at(now_ps(), call->event_);
            return true;
        }
    }
    return false;
}

void catch_up(sc_core::sc_time& delay) {
    if (delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
}

} // namespace cavern
