#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

namespace cavern {

/// Sits in-line on a base-protocol socket and writes down every breach of IEEE 1666-2011, clauses 14
/// and 15: phase order per transaction, at most one unfinished request and one unfinished response,
/// return values that match the phase, attributes that stay put in flight, a response status set by the
/// target before BEGIN_RESP, time that never runs backwards on a path.
/// Passes calls on unchanged. A test looks at breaches() and at transactions(), which must not be 0.
class BaseProtocolMonitor final : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<BaseProtocolMonitor, 64> target_socket{"target_socket"};
    tlm_utils::simple_initiator_socket<BaseProtocolMonitor, 64> initiator_socket{
        "initiator_socket"};

    explicit BaseProtocolMonitor(const sc_core::sc_module_name& name);

    [[nodiscard]] const std::vector<std::string>& breaches() const { return breaches_; }
    [[nodiscard]] std::uint64_t transactions() const { return finished_; }
    /// Transactions begun and not ended; 0 at the end of a clean run.
    [[nodiscard]] std::size_t unfinished() const { return in_flight_.size(); }

  private:
    struct Flight {
        tlm::tlm_phase_enum phase = tlm::UNINITIALIZED_PHASE;
        tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
        sc_dt::uint64 address = 0;
        unsigned int length = 0;
        unsigned char* data = nullptr;
        unsigned int streaming_width = 0;
    };
    using Payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void b_transport(Payload& payload, sc_core::sc_time& delay);

    void observe(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                 bool forward_path);
    void begin_request(Payload& payload);
    void begin_response(Payload& payload, Flight& flight);
    void finish(Payload& payload);
    void check_attributes(const Payload& payload, const Flight& flight);
    void breach(const std::string& what);

    std::map<Payload*, Flight> in_flight_; // looked up only, never iterated for results
    Payload* in_request_ = nullptr;
    Payload* in_response_ = nullptr;
    sc_core::sc_time latest_forward_;
    sc_core::sc_time latest_backward_;
    std::uint64_t finished_ = 0;
    std::vector<std::string> breaches_;
};

} // namespace cavern
