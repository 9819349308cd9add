#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>

#include "core/base/counter.h"
#include "core/base/divisor.h"
#include "core/base/ring.h"
#include "timed/dram/sdram_channels.h"
#include "timed/tlm/blocking_calls.h"
#include "timed/tlm/local_time_if.h"
#include "timed/tlm/prompt_target.h"

namespace cavern {

/// SDRAM controller and its SDRAM, of one channel or several. AT, four phases: a request is
/// accepted at once (END_REQ on the return path), BEGIN_RESP comes at the clock at which the last
/// data has been transferred, and waits while another response is in progress. A request that finds
/// nothing queued may be answered on the spot: TLM_COMPLETED, with the time until that clock as its
/// delay; the next then waits behind it (dram.scheduling). Responses may leave in another order
/// than requests came. Arrivals between two clock edges count from the next one. `ideal`:
/// infinitely fast and wide, every request completes at once (TLM_COMPLETED). Ignorable phases
/// pass.
///
/// b_transport takes the same time as a request that arrives at the local time of its caller: it
/// waits, or annotates what it knows beforehand.
///
/// Only time is modelled: data pointers are not looked at and may be null, debug transfers move
/// nothing, DMI is refused.
class SdramController final : public sc_core::sc_module,
                              public tlm::tlm_fw_transport_if<>,
                              public LocalTimeIf,
                              public PromptTargetIf {
  public:
    struct Statistics : SdramStatistics {
        std::uint64_t refreshes = 0;
        TimePs busy = 0;
        TimePs row_open = 0;

        static constexpr auto declared = counters_of(
            counter(&Statistics::refreshes, "refreshes", "commands",
                    "All-bank refreshes; 0 with dram.model = \"ideal\"."),
            duration(&Statistics::busy, "busy_ns",
                     "Time that the data bus transferred; 0 with dram.model = \"ideal\"."),
            duration(&Statistics::row_open, "row_open_ns",
                     "Time that a rank had at least one row open, the sum over all ranks; 0 with "
                     "dram.model = \"ideal\"."));
    };

    tlm::tlm_target_socket<64> target_socket{"target_socket"};

    /// `capacity_bytes`: requests beyond get TLM_ADDRESS_ERROR_RESPONSE. `answer_ahead`: whether a
    /// request that finds nothing queued is answered on the spot.
    SdramController(const sc_core::sc_module_name& name, const SdramTiming& timing,
                    std::uint64_t capacity_bytes, bool ideal, bool answer_ahead = true,
                    SdramInterleave interleave = {});

    /// Of the transactions worked out so far, which lags by at most the one in progress.
    [[nodiscard]] Statistics statistics() const;
    void reset_statistics();
    /// Refreshes due from the start of the simulation to `now`; none when ideal.
    [[nodiscard]] std::uint64_t refreshes(TimePs now) const;
    /// Transactions accepted and not answered.
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
    /// Activations of the controller's one process, for judging its cost.
    [[nodiscard]] std::uint64_t wakes() const { return wakes_; }

    TimePs carry_out(const Transfer& transfer) override;

  private:
    using Payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(Payload& payload) override;

    [[nodiscard]] tlm::tlm_response_status check(const Payload& payload) const;
    void count_untimed(const Payload& payload);
    void count_untimed(bool is_write, std::uint32_t bytes);
    bool complete_alone(Payload& payload, sc_core::sc_time& delay);
    [[nodiscard]] TimePs play_alone(std::uint64_t address, std::uint32_t bytes, bool is_write);
    void accept(Payload& payload);
    void respond();
    [[nodiscard]] Payload* next_answered();
    [[nodiscard]] DramClock last_edge();
    [[nodiscard]] DramClock next_edge();
    void begin_response(Payload& payload);
    void end_response(Payload& payload, const sc_core::sc_time& delay);
    void schedule_wake();

    SdramChannels scheduler_;
    std::uint64_t capacity_bytes_;
    bool ideal_;
    bool answer_ahead_;
    WideDivisor t_ck_; ///< ps
    TimePs edge_known_at_ = 0;
    DramClock edge_ = 0;

    tlm_utils::peq_with_get<Payload> late_{"late"}; ///< requests with an annotated delay
    std::uint64_t late_count_ = 0;
    Ring<Payload*> untimed_; ///< answered without access: wrong requests, TLM_IGNORE_COMMAND
    Payload* in_response_ = nullptr;
    TimePs response_free_ = 0; ///< end of the last response
    sc_core::sc_event wake_{"wake"};
    TimePs wake_at_ = kNever;
    bool responding_ = false;

    std::uint64_t outstanding_ = 0;
    std::uint64_t wakes_ = 0;
    BlockingCalls blocking_;
    SdramStatistics untimed_statistics_; ///< ideal
    std::uint64_t refreshes_before_ = 0; ///< the last reset
};

} // namespace cavern
