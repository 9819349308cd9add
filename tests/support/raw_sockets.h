#pragma once

#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "timed/tlm/time.h"

namespace cavern::testing {

/// A phase as one side saw it.
struct SeenPhase {
    TimePs at;
    const tlm::tlm_generic_payload* payload;
    tlm::tlm_phase phase;
    TimePs delay;
};

/// What one side answers to a call: the result, with phase and delay for TLM_UPDATED (the delay
/// counts for TLM_COMPLETED as well).
struct Answer {
    tlm::tlm_sync_enum result = tlm::TLM_ACCEPTED;
    tlm::tlm_phase phase = tlm::UNINITIALIZED_PHASE;
    TimePs delay = 0;
};

/// Base-protocol initiator without any rule of its own: calls what the test tells it to call.
class RawInitiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<64> socket{"socket"};

    explicit RawInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.bind(*this);
    }

    /// Calls nb_transport_fw; returns its result with the phase and delay that came back.
    Answer call(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, TimePs delay = 0) {
        sc_core::sc_time time = to_sc_time(delay);
        const tlm::tlm_sync_enum result = socket->nb_transport_fw(payload, phase, time);
        return {result, phase, to_ps(time)};
    }

    std::vector<SeenPhase> seen; ///< calls on the backward path
    std::function<Answer(tlm::tlm_generic_payload&, const tlm::tlm_phase&)> answer =
        [](auto&, const auto&) { return Answer{}; };

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        seen.push_back({now_ps(), &payload, phase, to_ps(delay)});
        const Answer given = answer(payload, phase);
        if (given.phase != tlm::UNINITIALIZED_PHASE) {
            phase = given.phase;
        }
        delay += to_sc_time(given.delay);
        return given.result;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override { ++invalidations; }

  public:
    int invalidations = 0;
};

/// Base-protocol target without any rule of its own.
class RawTarget final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
  public:
    tlm::tlm_target_socket<64> socket{"socket"};

    explicit RawTarget(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.bind(*this);
    }

    /// Calls nb_transport_bw; returns its result with the phase and delay that came back.
    Answer call(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, TimePs delay = 0) {
        sc_core::sc_time time = to_sc_time(delay);
        const tlm::tlm_sync_enum result = socket->nb_transport_bw(payload, phase, time);
        return {result, phase, to_ps(time)};
    }

    std::vector<SeenPhase> seen; ///< calls on the forward path
    std::function<Answer(tlm::tlm_generic_payload&, const tlm::tlm_phase&)> answer =
        [](auto&, const auto&) { return Answer{}; };
    std::function<void(tlm::tlm_generic_payload&)> on_b_transport = [](auto&) {};

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        seen.push_back({now_ps(), &payload, phase, to_ps(delay)});
        const Answer given = answer(payload, phase);
        if (given.phase != tlm::UNINITIALIZED_PHASE) {
            phase = given.phase;
        }
        delay += to_sc_time(given.delay);
        return given.result;
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
        on_b_transport(payload);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
        dmi.set_start_address(17);
        return true;
    }
    unsigned int transport_dbg(tlm::tlm_generic_payload&) override { return 23; }
};

} // namespace cavern::testing
