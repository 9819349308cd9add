#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>

#include "core/base/units.h"
#include "timed/tlm/local_time_if.h"

namespace cavern {

/// Told when a transaction sent through an AtInitiator has its response. The response status is
/// set. `ahead`: a target may complete a transaction inside the request and say that it will really
/// be done so much later (TLM_COMPLETED with a delay); waiting, if any, is then up to the owner. 0
/// otherwise.
class AtResponseIf {
  public:
    virtual ~AtResponseIf() = default;
    virtual void response(tlm::tlm_generic_payload& payload, TimePs ahead) = 0;
};

/// Initiator side of the base protocol (IEEE 1666-2011, 15.2), AT, four phases with all early
/// returns: keeps the request exclusion rule by queueing, answers END_RESP, handles annotated
/// delays, lets ignorable phases pass. A delay of zero, which our own targets use, costs no event.
/// The sender keeps its reference until response().
class AtInitiator final : public sc_core::sc_module,
                          public tlm::tlm_bw_transport_if<>,
                          public LocalTimeIf {
  public:
    tlm::tlm_initiator_socket<64> socket{"socket"};

    AtInitiator(const sc_core::sc_module_name& name, AtResponseIf& owner);

    void send(tlm::tlm_generic_payload& payload);
    /// Transactions sent and not answered.
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void at_phase(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
    void issue(tlm::tlm_generic_payload& payload);
    void request_ended();
    void finish(tlm::tlm_generic_payload& payload, TimePs ahead);

    AtResponseIf& owner_;
    tlm::tlm_generic_payload* in_request_ = nullptr;
    std::deque<tlm::tlm_generic_payload*> queue_; ///< empty unless a target withholds END_REQ
    std::uint64_t outstanding_ = 0;
    tlm_utils::peq_with_cb_and_phase<AtInitiator> later_{this, &AtInitiator::at_phase};
};

} // namespace cavern
