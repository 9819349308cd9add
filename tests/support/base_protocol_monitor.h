#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "tests/support/transparent_module.h"

namespace cavern {

/// Sits in-line on a base-protocol socket and writes down every breach of IEEE 1666-2011, clauses
/// 14 and 15: order of the phases of a transaction and the path each takes (15.2.3, 15.2.4); at
/// most one unfinished request and one unfinished response, counted in annotated time (15.2.6);
/// times of a transaction that never decrease (15.2.7); b_transport and nb_transport not mixed
/// (15.2.10); a memory manager and a reference (14.5); a response status that the initiator sets to
/// incomplete and the target to something else; a data pointer (14.11), a data length (14.12), and
/// as many byte enables as their pointer says (14.13); nothing but extensions changed in flight
/// (14.7); a call answered with TLM_ACCEPTED leaves its arguments alone (11.1.2). A request is
/// completed early only while no response is under way (15.2.3); the delay annotated then is the
/// end of the transaction and says nothing of when its request ended. An ignorable phase comes
/// between BEGIN_REQ and END_RESP, and is accepted (15.2.5). Stricter than the standard: a
/// streaming width below the length is a breach, as nothing here streams, and so is a changed
/// address, as there is no interconnect behind our sockets.
///
/// Passes every call on unchanged. A test looks at breaches(), and at transactions(), which must
/// not be 0; unfinished() is 0 at the end of a clean run.
class BaseProtocolMonitor final : public testing::TransparentModule {
  public:
    explicit BaseProtocolMonitor(const sc_core::sc_module_name& name) : TransparentModule(name) {}

    [[nodiscard]] const std::vector<std::string>& breaches() const { return breaches_; }
    [[nodiscard]] std::uint64_t transactions() const { return finished_; }
    /// Transactions begun and not ended.
    [[nodiscard]] std::size_t unfinished() const { return in_flight_.size(); }

  private:
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

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(Payload& payload, sc_core::sc_time& delay) override;

    // One for each phase, on whichever path it comes; `delay` is its annotation.
    void begin_request(Payload& payload, const sc_core::sc_time& delay);
    void end_request(Payload& payload, const sc_core::sc_time& delay);
    void begin_response(Payload& payload, const sc_core::sc_time& delay);
    void end_response(Payload& payload, const sc_core::sc_time& delay);
    void complete_early(Payload& payload, const sc_core::sc_time& delay);

    Flight* find(Payload& payload, const sc_core::sc_time& delay);
    void imply_end_request(const Payload& payload);
    void ignorable(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
    void check_reference(const Payload& payload);
    void check_request(const Payload& payload);
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
