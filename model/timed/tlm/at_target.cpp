#include "timed/tlm/at_target.h"

#include "core/base/check.h"
#include "timed/tlm/ignorable_phase.h"
#include "timed/tlm/phase_text.h"
#include "timed/tlm/time.h"

namespace cavern {

AtTarget::AtTarget(const sc_core::sc_module_name& name, AtRequestIf& owner)
    : sc_module(name), owner_(owner) {
    KernelClock::attach();
    socket.bind(*this);
}

tlm::tlm_sync_enum AtTarget::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
        CAVERN_CHECK(in_response_ == &payload, "END_RESP answers the response in progress");
        if (is_now(delay)) {
            response_ended(payload);
        } else {
            notify_at(kernel_ps() + to_ps(delay), later_, payload, phase);
        }
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        CAVERN_CHECK(is_ignorable(phase), got_phase("a target", phase));
        return tlm::TLM_ACCEPTED;
    }
    ++outstanding_;
    if (payload.has_mm()) {
        payload.acquire();
    }
    phase = tlm::END_REQ;
    if (!is_now(delay)) {
        notify_at(kernel_ps() + to_ps(delay), later_, payload, tlm::BEGIN_REQ);
        return tlm::TLM_UPDATED;
    }
    // An answer from inside the call must travel on its return path, not overtake it.
    CAVERN_CHECK(in_call_ == nullptr, "an initiator sends no request inside another");
    if (in_response_ != nullptr) {
        // TLM_COMPLETED implies BEGIN_RESP, which has to wait for the end of that
        // response (15.2.3).
        owner_.request(payload);
        return tlm::TLM_UPDATED;
    }
    in_call_ = &payload;
    owner_.request(payload);
    if (in_call_ != nullptr) {
        in_call_ = nullptr;
        return tlm::TLM_UPDATED;
    }
    --outstanding_;
    phase = tlm::END_RESP;
    if (ahead_ != 0) {
        delay = until(now_ps() + ahead_);
        ahead_ = 0;
    }
    if (payload.has_mm()) {
        payload.release();
    }
    return tlm::TLM_COMPLETED;
}

void AtTarget::at_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) {
        owner_.request(payload);
    } else if (phase == tlm::BEGIN_RESP) {
        respond(payload);
    } else {
        response_ended(payload);
    }
}

void AtTarget::respond(tlm::tlm_generic_payload& payload) {
    CAVERN_CHECK(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                 "a target answers with a status");
    if (in_call_ == &payload) {
        in_call_ = nullptr;
        return;
    }
    if (blocking_.answer(payload)) {
        return;
    }
    if (in_response_ != nullptr) {
        queue_.push_back(&payload);
        return;
    }
    begin_response(payload);
}

void AtTarget::complete_ahead(tlm::tlm_generic_payload& payload, TimePs ahead) {
    CAVERN_CHECK(payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE,
                 "a target answers with a status");
    if (in_call_ != &payload) { // it came with a delay, during a response, or by b_transport
        if (!blocking_.answer(payload, ahead)) {
            notify_at(now_ps() + ahead, later_, payload, tlm::BEGIN_RESP);
        }
        return;
    }
    ahead_ = ahead;
    in_call_ = nullptr;
}

void AtTarget::begin_response(tlm::tlm_generic_payload& payload) {
    in_response_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = LocalTime::annotation();
    switch (socket->nb_transport_bw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
        return;
    case tlm::TLM_UPDATED:
        if (phase != tlm::END_RESP) {
            CAVERN_CHECK(is_ignorable(phase), got_phase("updating a response, a target", phase));
            return;
        }
        break;
    case tlm::TLM_COMPLETED:
        break;
    }
    if (is_now(delay)) {
        response_ended(payload);
    } else {
        notify_at(kernel_ps() + to_ps(delay), later_, payload, tlm::END_RESP);
    }
}

void AtTarget::response_ended(tlm::tlm_generic_payload& payload) {
    in_response_ = nullptr;
    --outstanding_;
    if (payload.has_mm()) {
        payload.release();
    }
    if (!queue_.empty()) {
        tlm::tlm_generic_payload* next = queue_.front();
        queue_.pop_front();
        begin_response(*next);
    }
}

void AtTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    catch_up(delay);
    BlockingCalls::Call call(blocking_, payload);
    ++outstanding_;
    owner_.request(payload);
    delay = to_sc_time(call.await());
    --outstanding_;
}

bool AtTarget::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    dmi.allow_none();
    dmi.set_start_address(0);
    dmi.set_end_address(~sc_dt::uint64{0});
    return false;
}

unsigned int AtTarget::transport_dbg(tlm::tlm_generic_payload&) {
    return 0;
}

} // namespace cavern
