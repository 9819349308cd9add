#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>

#include "core/base/units.h"
#include "timed/tlm/blocking_calls.h"
#include "timed/tlm/local_time_if.h"

namespace cavern {

/// Takes the requests that arrive at an AtTarget. May answer (AtTarget::respond) from inside the
/// call or at any later time, in any order.
class AtRequestIf {
  public:
    virtual ~AtRequestIf() = default;
    virtual void request(tlm::tlm_generic_payload& payload) = 0;
};

/// Target side of the base protocol, AT: accepts every request at once (END_REQ on the return path)
/// and keeps the response exclusion rule by queueing. Holds a reference from request to response.
/// A request annotated with a later time than the present (LocalTime) is honoured through an event;
/// our own initiators annotate none. Ignorable phases pass.
/// b_transport hands the request over at the local time of its caller, and returns when it is
/// answered; what is answered ahead of its time it annotates. DMI and debug are not offered.
class AtTarget final : public sc_core::sc_module,
                       public tlm::tlm_fw_transport_if<>,
                       public LocalTimeIf {
  public:
    tlm::tlm_target_socket<64> socket{"socket"};

    AtTarget(const sc_core::sc_module_name& name, AtRequestIf& owner);

    /// Sends BEGIN_RESP now, or when the response in progress has ended. Status must be set.
    void respond(tlm::tlm_generic_payload& payload);
    /// For targets that know the end beforehand, called from inside request(): the response, due
    /// `ahead` from now. Where the initiator's call is still open, the transaction is completed on
    /// its return path (TLM_COMPLETED with a delay). Status must be set.
    void complete_ahead(tlm::tlm_generic_payload& payload, TimePs ahead);
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;
    void at_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
    void begin_response(tlm::tlm_generic_payload& payload);
    void response_ended(tlm::tlm_generic_payload& payload);

    AtRequestIf& owner_;
    tlm::tlm_generic_payload* in_call_ = nullptr; ///< request being handed over, until answered
    TimePs ahead_ = 0;                            ///< with an answer from inside the call
    tlm::tlm_generic_payload* in_response_ = nullptr;
    std::deque<tlm::tlm_generic_payload*> queue_; ///< empty unless an initiator withholds END_RESP
    std::uint64_t outstanding_ = 0;
    BlockingCalls blocking_;
    tlm_utils::peq_with_cb_and_phase<AtTarget> later_{this, &AtTarget::at_phase};
};

} // namespace cavern
