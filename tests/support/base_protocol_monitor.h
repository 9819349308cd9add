#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

namespace cavern {

/// Sits in-line on a base-protocol socket and writes down every breach of IEEE 1666-2011, clauses
/// 14 and 15: order of the phases of a transaction and the path each takes (15.2.3, 15.2.4); at
/// most one unfinished request and one unfinished response, counted in annotated time (15.2.6);
/// times of a transaction that never decrease (15.2.7); b_transport and nb_transport not mixed
/// (15.2.10); a memory manager and a reference (14.5); a response status that the initiator sets to
/// incomplete and the target to something else; nothing but extensions changed in flight (14.7); a
/// call answered with TLM_ACCEPTED leaves its arguments alone (11.1.2). A transaction that a target
/// completes from inside BEGIN_REQ has no response phase and does not take part in the exclusion of
/// responses; the delay annotated then is the end of the transaction and says nothing of when its
/// request ended. Stricter than the standard: phases outside the base protocol are breaches, and so
/// is a changed address, as there is no interconnect behind our sockets.
///
/// Passes every call on unchanged. A test looks at breaches(), and at transactions(), which must
/// not be 0; unfinished() is 0 at the end of a clean run.
class BaseProtocolMonitor final : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<BaseProtocolMonitor, 64> target_socket{"target_socket"};
    tlm_utils::simple_initiator_socket<BaseProtocolMonitor, 64> initiator_socket{
        "initiator_socket"};

    explicit BaseProtocolMonitor(const sc_core::sc_module_name& name);

    [[nodiscard]] const std::vector<std::string>& breaches() const { return breaches_; }
    [[nodiscard]] std::uint64_t transactions() const { return finished_; }
    /// Transactions begun and not ended.
    [[nodiscard]] std::size_t unfinished() const { return in_flight_.size(); }

  private:
    using Payload = tlm::tlm_generic_payload;

    struct Flight {
        tlm::tlm_phase_enum phase = tlm::UNINITIALIZED_PHASE;
        sc_core::sc_time latest; ///< of its phases, annotation included
        tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
        sc_dt::uint64 address = 0;
        unsigned char* data = nullptr;
        unsigned int length = 0;
        unsigned int streaming_width = 0;
        unsigned char* byte_enables = nullptr;
        unsigned int byte_enable_length = 0;
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE; ///< from BEGIN_RESP on
    };

    tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void b_transport(Payload& payload, sc_core::sc_time& delay);
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi);
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end);
    unsigned int transport_dbg(Payload& payload);

    // One for each phase, on whichever path it comes; `delay` is its annotation.
    void begin_request(Payload& payload, const sc_core::sc_time& delay);
    void end_request(Payload& payload, const sc_core::sc_time& delay);
    void begin_response(Payload& payload, const sc_core::sc_time& delay);
    void end_response(Payload& payload, const sc_core::sc_time& delay);
    void complete_early(Payload& payload, const sc_core::sc_time& delay);

    Flight* find(Payload& payload, const sc_core::sc_time& delay);
    void imply_end_request(const Payload& payload);
    void check_reference(const Payload& payload);
    void check_attributes(const Payload& payload, const Flight& flight);
    void check_untouched(const tlm::tlm_phase& phase, const tlm::tlm_phase& sent,
                         const sc_core::sc_time& delay, const sc_core::sc_time& sent_delay);
    void finish(Payload& payload);
    void misplaced(const tlm::tlm_phase& phase, const char* where);
    void breach(const std::string& what);

    std::map<Payload*, Flight> in_flight_;  // looked up only, never iterated for results
    std::map<Payload*, unsigned> blocking_; ///< b_transport calls under way
    Payload* in_request_ = nullptr;
    Payload* in_response_ = nullptr;
    sc_core::sc_time request_free_at_;  ///< annotated time of the last END_REQ
    sc_core::sc_time response_free_at_; ///< of the last END_RESP
    std::uint64_t finished_ = 0;
    std::vector<std::string> breaches_;
};

} // namespace cavern
