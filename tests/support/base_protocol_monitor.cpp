#include "tests/support/base_protocol_monitor.h"

#include <sstream>

namespace cavern {

BaseProtocolMonitor::BaseProtocolMonitor(const sc_core::sc_module_name& name) : sc_module(name) {
    target_socket.register_nb_transport_fw(this, &BaseProtocolMonitor::forward);
    target_socket.register_b_transport(this, &BaseProtocolMonitor::b_transport);
    initiator_socket.register_nb_transport_bw(this, &BaseProtocolMonitor::backward);
}

tlm::tlm_sync_enum BaseProtocolMonitor::forward(Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    observe(payload, phase, delay, true);
    const tlm::tlm_sync_enum result = initiator_socket->nb_transport_fw(payload, phase, delay);
    switch (result) {
    case tlm::TLM_ACCEPTED:
        break;
    case tlm::TLM_UPDATED:
        if (sent != tlm::BEGIN_REQ || (phase != tlm::END_REQ && phase != tlm::BEGIN_RESP)) {
            breach("a forward call is updated to something other than END_REQ or BEGIN_RESP");
        }
        observe(payload, phase, delay, false);
        break;
    case tlm::TLM_COMPLETED:
        if (sent == tlm::BEGIN_REQ) {
            const auto found = in_flight_.find(&payload);
            if (found != in_flight_.end()) {
                begin_response(payload, found->second);
            }
            finish(payload);
        }
        break;
    }
    return result;
}

tlm::tlm_sync_enum BaseProtocolMonitor::backward(Payload& payload, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
    const tlm::tlm_phase sent = phase;
    observe(payload, phase, delay, false);
    const tlm::tlm_sync_enum result = target_socket->nb_transport_bw(payload, phase, delay);
    if (result == tlm::TLM_UPDATED && (sent != tlm::BEGIN_RESP || phase != tlm::END_RESP)) {
        breach("a backward call is updated to something other than END_RESP");
    }
    if (result != tlm::TLM_ACCEPTED && sent == tlm::BEGIN_RESP) {
        finish(payload);
    }
    if (result == tlm::TLM_COMPLETED && sent == tlm::END_REQ) {
        breach("END_REQ completes a transaction");
    }
    return result;
}

void BaseProtocolMonitor::b_transport(Payload& payload, sc_core::sc_time& delay) {
    if (in_flight_.count(&payload) != 0) {
        breach("b_transport is mixed with nb_transport for one payload");
    }
    initiator_socket->b_transport(payload, delay);
}

void BaseProtocolMonitor::observe(Payload& payload, const tlm::tlm_phase& phase,
                                  const sc_core::sc_time& delay, bool forward_path) {
    sc_core::sc_time& latest = forward_path ? latest_forward_ : latest_backward_;
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    if (at < latest) {
        breach("time runs backwards on a path");
    }
    latest = at;
    if (phase == tlm::BEGIN_REQ) {
        begin_request(payload);
        return;
    }
    const auto found = in_flight_.find(&payload);
    if (found == in_flight_.end()) {
        breach("a phase arrives for a transaction that is not in flight");
        return;
    }
    Flight& flight = found->second;
    check_attributes(payload, flight);
    if (phase == tlm::END_REQ) {
        if (forward_path || flight.phase != tlm::BEGIN_REQ || in_request_ != &payload) {
            breach("END_REQ out of order");
        }
        flight.phase = tlm::END_REQ;
        in_request_ = nullptr;
    } else if (phase == tlm::BEGIN_RESP) {
        if (forward_path) {
            breach("BEGIN_RESP on the forward path");
        }
        begin_response(payload, flight);
    } else if (phase == tlm::END_RESP) {
        if (!forward_path || flight.phase != tlm::BEGIN_RESP) {
            breach("END_RESP out of order");
        }
        finish(payload);
    }
}

void BaseProtocolMonitor::begin_request(Payload& payload) {
    if (in_request_ != nullptr) {
        breach("a second request begins before the first has ended");
    }
    if (in_flight_.count(&payload) != 0) {
        breach("BEGIN_REQ for a transaction in flight");
    }
    if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("the initiator has not set the response status to incomplete");
    }
    if (!payload.has_mm() || payload.get_ref_count() == 0) {
        breach("a payload without reference travels by nb_transport");
    }
    in_request_ = &payload;
    in_flight_[&payload] = {tlm::BEGIN_REQ,           payload.get_command(),
                            payload.get_address(),    payload.get_data_length(),
                            payload.get_data_ptr(),   payload.get_streaming_width()};
}

void BaseProtocolMonitor::begin_response(Payload& payload, Flight& flight) {
    if (in_response_ != nullptr) {
        breach("a second response begins before the first has ended");
    }
    if (flight.phase != tlm::BEGIN_REQ && flight.phase != tlm::END_REQ) {
        breach("BEGIN_RESP out of order");
    }
    if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        breach("a response begins with its status incomplete");
    }
    if (in_request_ == &payload) {
        in_request_ = nullptr; // BEGIN_RESP implies END_REQ
    }
    in_response_ = &payload;
    flight.phase = tlm::BEGIN_RESP;
}

void BaseProtocolMonitor::finish(Payload& payload) {
    if (in_response_ == &payload) {
        in_response_ = nullptr;
    }
    if (in_flight_.erase(&payload) == 0) {
        breach("a transaction ends twice");
        return;
    }
    ++finished_;
}

void BaseProtocolMonitor::check_attributes(const Payload& payload, const Flight& flight) {
    if (payload.get_command() != flight.command || payload.get_address() != flight.address ||
        payload.get_data_length() != flight.length || payload.get_data_ptr() != flight.data ||
        payload.get_streaming_width() != flight.streaming_width) {
        breach("an attribute changes in flight");
    }
}

void BaseProtocolMonitor::breach(const std::string& what) {
    std::ostringstream line;
    line << name() << " at " << sc_core::sc_time_stamp() << ": " << what;
    breaches_.push_back(line.str());
}

} // namespace cavern
