#include "timed/tlm/payload_pool.h"

namespace cavern {

PayloadPool::~PayloadPool() {
    // A payload still referenced at the end of a run dies with the pool; its owner reports it.
    for (const auto& payload : all_) {
        payload->reset();
    }
}

std::unique_ptr<tlm::tlm_generic_payload> PayloadPool::make() {
    return std::make_unique<tlm::tlm_generic_payload>(this);
}

tlm::tlm_generic_payload* PayloadPool::acquire() {
    if (idle_.empty()) {
        all_.push_back(make());
        idle_.reserve(all_.size());
        idle_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload* payload = idle_.back();
    idle_.pop_back();
    payload->set_command(tlm::TLM_IGNORE_COMMAND);
    payload->set_address(0);
    payload->set_data_ptr(nullptr);
    payload->set_data_length(0);
    payload->set_streaming_width(0);
    payload->set_byte_enable_ptr(nullptr);
    payload->set_byte_enable_length(0);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload->set_dmi_allowed(false);
    payload->acquire();
    return payload;
}

void PayloadPool::free(tlm::tlm_generic_payload* payload) {
    // Drops auto-extensions, which would otherwise ride into the next request.
    payload->reset();
    idle_.push_back(payload);
}

} // namespace cavern
