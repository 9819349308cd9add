#pragma once

#include <systemc>
#include <tlm>

#include "timed/tlm/local_time_if.h"

namespace cavern::testing {

/// Sits in-line between two base-protocol sockets and passes every call on at once and unchanged
/// (IEEE 1666-2011, 15.2.5: a transparent component). What derives from it looks at the calls.
class TransparentModule : public sc_core::sc_module,
                          public tlm::tlm_fw_transport_if<>,
                          public tlm::tlm_bw_transport_if<>,
                          public LocalTimeIf {
  public:
    tlm::tlm_target_socket<64> target_socket{"target_socket"};
    tlm::tlm_initiator_socket<64> initiator_socket{"initiator_socket"};
    using Payload = tlm::tlm_generic_payload;

    explicit TransparentModule(const sc_core::sc_module_name& name) : sc_module(name) {
        target_socket.bind(*this);
        initiator_socket.bind(*this);
    }

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return initiator_socket->nb_transport_fw(payload, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return target_socket->nb_transport_bw(payload, phase, delay);
    }
    void b_transport(Payload& payload, sc_core::sc_time& delay) override {
        initiator_socket->b_transport(payload, delay);
    }
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
        return initiator_socket->get_direct_mem_ptr(payload, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
        target_socket->invalidate_direct_mem_ptr(start, end);
    }
    unsigned int transport_dbg(Payload& payload) override {
        return initiator_socket->transport_dbg(payload);
    }
    [[nodiscard]] bool keeps_local_time(CallPath path) const override {
        return path == CallPath::kForward ? peer_keeps_local_time(initiator_socket, path)
                                          : peer_keeps_local_time(target_socket, path);
    }
};

} // namespace cavern::testing
