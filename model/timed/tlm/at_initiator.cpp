#include "timed/tlm/at_initiator.h"

#include "core/base/check.h"
#include "timed/tlm/ignorable_phase.h"
#include "timed/tlm/phase_text.h"
#include "timed/tlm/time.h"

namespace cavern {

AtInitiator::AtInitiator(const sc_core::sc_module_name& name, AtResponseIf& owner)
    : sc_module(name), owner_(owner) {
    KernelClock::attach();
    socket.bind(*this);
}

void AtInitiator::send(tlm::tlm_generic_payload& payload) {
    ++outstanding_;
    // A response that implies END_REQ is told before the queue moves on: no overtaking then.
    if (in_request_ != nullptr || !queue_.empty()) {
        queue_.push_back(&payload);
        return;
    }
    issue(payload);
}

void AtInitiator::issue(tlm::tlm_generic_payload& payload) {
    in_request_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = LocalTime::annotation();
    switch (socket->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
        return;
    case tlm::TLM_UPDATED:
        if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
            CAVERN_CHECK(is_ignorable(phase), got_phase("updating a request, an initiator", phase));
            return;
        }
        if (is_now(delay)) {
            at_phase(payload, phase);
        } else {
            notify_at(kernel_ps() + to_ps(delay), later_, payload, phase);
        }
        return;
    case tlm::TLM_COMPLETED:
        in_request_ = nullptr;
        finish(payload, to_ps(delay) - LocalTime::offset());
        return;
    }
}

tlm::tlm_sync_enum AtInitiator::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
        CAVERN_CHECK(is_ignorable(phase), got_phase("called back, an initiator", phase));
        return tlm::TLM_ACCEPTED;
    }
    if (!is_now(delay)) {
        notify_at(kernel_ps() + to_ps(delay), later_, payload, phase);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_REQ) {
        at_phase(payload, phase);
        return tlm::TLM_ACCEPTED;
    }
    if (in_request_ == &payload) {
        in_request_ = nullptr; // BEGIN_RESP implies END_REQ
    }
    phase = tlm::END_RESP;
    // The target has the payload in its hands until this call returns: what the owner sends
    // meanwhile travels in another.
    payload.acquire();
    finish(payload, 0);
    payload.release();
    return tlm::TLM_COMPLETED;
}

void AtInitiator::at_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
        CAVERN_CHECK(in_request_ == &payload, "END_REQ answers the request in progress");
        request_ended();
        return;
    }
    tlm::tlm_phase end = tlm::END_RESP;
    sc_core::sc_time delay = LocalTime::annotation();
    const tlm::tlm_sync_enum result = socket->nb_transport_fw(payload, end, delay);
    CAVERN_CHECK(result != tlm::TLM_UPDATED || is_ignorable(end),
                 got_phase("ending a response, an initiator", end));
    if (in_request_ == &payload) {
        in_request_ = nullptr;
    }
    finish(payload, 0);
}

void AtInitiator::request_ended() {
    in_request_ = nullptr;
    if (!queue_.empty()) {
        tlm::tlm_generic_payload* next = queue_.front();
        queue_.pop_front();
        issue(*next);
    }
}

void AtInitiator::finish(tlm::tlm_generic_payload& payload, TimePs ahead) {
    --outstanding_;
    owner_.response(payload, ahead);
    if (in_request_ == nullptr && !queue_.empty()) {
        request_ended();
    }
}

} // namespace cavern
