#include "tests/support/base_protocol_monitor.h"

#include <sstream>

#include "timed/tlm/ignorable_phase.h"

namespace cavern {
namespace {

sc_core::sc_time after(const sc_core::sc_time& delay) {
    return sc_core::sc_time_stamp() + delay;
}

} // namespace

// ---- calls --------------------------------------------------------------------------------------

tlm::tlm_sync_enum BaseProtocolMonitor::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time sent_delay = delay;
    check_reference(payload);
    if (sent == tlm::BEGIN_REQ) {
        begin_request(payload, delay);
    } else if (sent == tlm::END_RESP) {
        end_response(payload, delay);
    } else if (is_ignorable(sent)) {
        ignorable(payload, sent, delay);
    } else {
        misplaced(sent, "a call on the forward path");
    }
    const tlm::tlm_sync_enum result = initiator_socket->nb_transport_fw(payload, phase, delay);
    if (is_ignorable(sent) && result != tlm::TLM_ACCEPTED) {
        breach("an ignorable phase is not merely accepted");
        return result;
    }
    switch (result) {
    case tlm::TLM_ACCEPTED:
        check_untouched(phase, sent, delay, sent_delay);
        break;
    case tlm::TLM_UPDATED:
        if (sent == tlm::BEGIN_REQ && phase == tlm::END_REQ) {
            end_request(payload, delay);
        } else if (sent == tlm::BEGIN_REQ && phase == tlm::BEGIN_RESP) {
            begin_response(payload, delay);
        } else if (!is_ignorable(phase)) {
            misplaced(phase, "the return from a forward call");
        }
        break;
    case tlm::TLM_COMPLETED:
        if (sent == tlm::BEGIN_REQ) {
            complete_early(payload, delay);
        }
        break;
    }
    return result;
}

tlm::tlm_sync_enum BaseProtocolMonitor::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    const sc_core::sc_time sent_delay = delay;
    check_reference(payload);
    if (sent == tlm::END_REQ) {
        end_request(payload, delay);
    } else if (sent == tlm::BEGIN_RESP) {
        begin_response(payload, delay);
    } else if (is_ignorable(sent)) {
        ignorable(payload, sent, delay);
    } else {
        misplaced(sent, "a call on the backward path");
    }
    const tlm::tlm_sync_enum result = target_socket->nb_transport_bw(payload, phase, delay);
    if (is_ignorable(sent) && result != tlm::TLM_ACCEPTED) {
        breach("an ignorable phase is not merely accepted");
        return result;
    }
    switch (result) {
    case tlm::TLM_ACCEPTED:
        check_untouched(phase, sent, delay, sent_delay);
        break;
    case tlm::TLM_UPDATED:
        if (sent == tlm::BEGIN_RESP && phase == tlm::END_RESP) {
            end_response(payload, delay);
        } else if (!is_ignorable(phase)) {
            misplaced(phase, "the return from a backward call");
        }
        break;
    case tlm::TLM_COMPLETED:
        if (sent == tlm::BEGIN_RESP) {
            end_response(payload, delay);
        } else {
            breach("the initiator completes a transaction that has no response yet");
        }
        break;
    }
    return result;
}

void BaseProtocolMonitor::b_transport(Payload& payload, sc_core::sc_time& delay) {
    if (in_flight_.count(&payload) != 0) {
        breach("b_transport is called for a transaction that nb_transport carries");
    }
    check_request(payload);
    ++blocking_[&payload];
    initiator_socket->b_transport(payload, delay);
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("b_transport returns with the response status incomplete");
    }
    if (--blocking_[&payload] == 0) {
        blocking_.erase(&payload);
    }
}

// ---- phases -------------------------------------------------------------------------------------

void BaseProtocolMonitor::begin_request(Payload& payload, const sc_core::sc_time& delay) {
    if (in_request_ != nullptr || after(delay) < request_free_at_) {
        breach("a second request begins before the first has ended");
    }
    if (in_flight_.count(&payload) != 0) {
        breach("BEGIN_REQ for a transaction in flight");
    }
    if (blocking_.count(&payload) != 0) {
        breach("nb_transport is called for a transaction that b_transport carries");
    }
    check_request(payload);
    in_request_ = &payload;
    Flight& flight = in_flight_[&payload];
    flight.phase = tlm::BEGIN_REQ;
    flight.latest = after(delay);
    flight.command = payload.get_command();
    flight.address = payload.get_address();
    flight.data = payload.get_data_ptr();
    flight.length = payload.get_data_length();
    flight.streaming_width = payload.get_streaming_width();
    flight.byte_enables = payload.get_byte_enable_ptr();
    flight.byte_enable_length = payload.get_byte_enable_length();
}

void BaseProtocolMonitor::end_request(Payload& payload, const sc_core::sc_time& delay) {
    Flight* flight = find(payload, delay);
    if (flight == nullptr) {
        return;
    }
    if (flight->phase != tlm::BEGIN_REQ) {
        breach("END_REQ out of order");
        return;
    }
    flight->phase = tlm::END_REQ;
    in_request_ = nullptr;
    request_free_at_ = after(delay);
}

void BaseProtocolMonitor::begin_response(Payload& payload, const sc_core::sc_time& delay) {
    Flight* flight = find(payload, delay);
    if (flight == nullptr) {
        return;
    }
    if (flight->phase != tlm::BEGIN_REQ && flight->phase != tlm::END_REQ) {
        breach("BEGIN_RESP out of order");
    } else if (in_response_ != nullptr || after(delay) < response_free_at_) {
        breach("a second response begins before the first has ended");
    }
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("a response begins with its status incomplete");
    }
    imply_end_request(payload);
    in_response_ = &payload;
    flight->phase = tlm::BEGIN_RESP;
    flight->status = payload.get_response_status();
}

void BaseProtocolMonitor::end_response(Payload& payload, const sc_core::sc_time& delay) {
    Flight* flight = find(payload, delay);
    if (flight == nullptr) {
        return;
    }
    if (flight->phase != tlm::BEGIN_RESP) {
        breach("END_RESP out of order");
    } else if (payload.get_response_status() != flight->status) {
        breach("the response status changes after BEGIN_RESP");
    }
    response_free_at_ = after(delay);
    finish(payload);
}

void BaseProtocolMonitor::complete_early(Payload& payload, const sc_core::sc_time& delay) {
    Flight* flight = find(payload, delay);
    if (flight == nullptr) {
        return;
    }
    if (flight->phase == tlm::BEGIN_RESP) {
        breach("a request is completed while its response is under way");
    } else if (in_response_ != nullptr) {
        breach("a request is completed while another response is under way");
    }
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("a transaction is completed with its status incomplete");
    }
    imply_end_request(payload);
    finish(payload);
}

void BaseProtocolMonitor::ignorable(Payload& payload, const tlm::tlm_phase& phase,
                                    const sc_core::sc_time& delay) {
    if (in_flight_.count(&payload) == 0) {
        misplaced(phase, "a call before BEGIN_REQ or after END_RESP");
    } else {
        find(payload, delay);
    }
}

// ---- checks they share --------------------------------------------------------------------------

BaseProtocolMonitor::Flight* BaseProtocolMonitor::find(Payload& payload,
                                                       const sc_core::sc_time& delay) {
    const auto found = in_flight_.find(&payload);
    if (found == in_flight_.end()) {
        breach("a phase comes for a transaction that is not in flight");
        return nullptr;
    }
    Flight& flight = found->second;
    check_attributes(payload, flight);
    if (after(delay) < flight.latest) {
        breach("the time of a transaction decreases");
    }
    flight.latest = after(delay);
    return &flight;
}

/// A response without END_REQ: the request ended before, nobody says when.
void BaseProtocolMonitor::imply_end_request(const Payload& payload) {
    if (in_request_ == &payload) {
        in_request_ = nullptr;
    }
}

void BaseProtocolMonitor::check_reference(const Payload& payload) {
    if (!payload.has_mm() || payload.get_ref_count() == 0) {
        breach("a payload without memory manager or reference travels by nb_transport");
    }
}

/// What the initiator of a transaction sets.
void BaseProtocolMonitor::check_request(const Payload& payload) {
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("the initiator has not set the response status to incomplete");
    }
    if (payload.get_data_ptr() == nullptr) {
        breach("the data pointer is null");
    }
    if (payload.get_data_length() == 0) {
        breach("the data length is 0");
    }
    if (payload.get_streaming_width() == 0 ||
        payload.get_streaming_width() < payload.get_data_length()) {
        breach("the streaming width is below the data length");
    }
    if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
        breach("byte enables have the length 0");
    }
}

void BaseProtocolMonitor::check_attributes(const Payload& payload, const Flight& flight) {
    if (payload.get_ref_count() == 0) {
        return; // given back by whoever ended the transaction: nothing of it need stay
    }
    if (payload.get_command() != flight.command || payload.get_address() != flight.address ||
        payload.get_data_ptr() != flight.data || payload.get_data_length() != flight.length ||
        payload.get_streaming_width() != flight.streaming_width ||
        payload.get_byte_enable_ptr() != flight.byte_enables ||
        payload.get_byte_enable_length() != flight.byte_enable_length) {
        breach("an attribute changes in flight");
    }
}

void BaseProtocolMonitor::check_untouched(const tlm::tlm_phase& phase, const tlm::tlm_phase& sent,
                                          const sc_core::sc_time& delay,
                                          const sc_core::sc_time& sent_delay) {
    if (phase != sent || delay != sent_delay) {
        breach("a call that is only accepted changes its phase or its delay");
    }
}

void BaseProtocolMonitor::finish(Payload& payload) {
    if (in_response_ == &payload) {
        in_response_ = nullptr;
    }
    in_flight_.erase(&payload);
    ++finished_;
}

void BaseProtocolMonitor::misplaced(const tlm::tlm_phase& phase, const char* where) {
    std::ostringstream text;
    text << "phase " << phase << " in " << where;
    breach(text.str());
}

void BaseProtocolMonitor::breach(const std::string& what) {
    std::ostringstream line;
    line << name() << " at " << sc_core::sc_time_stamp() << ": " << what;
    breaches_.push_back(line.str());
}

} // namespace cavern
