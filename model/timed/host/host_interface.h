#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "core/base/statistics.h"
#include "timed/host/command_ledger.h"
#include "timed/host/host_transport.h"
#include "timed/host/rate_periods.h"
#include "timed/tlm/at_initiator.h"
#include "timed/tlm/at_target.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/nand_protocol.h"
#include "timed/tlm/payload_pool.h"
#include "timed/tlm/scratch_data.h"
#include "timed/tlm/time.h"
#include "workload/request.h"

namespace cavern {

/// A completed host command, for `--requests`.
struct CompletedRequest {
    HostRequest request;
    const HostCommandExtension* where;
    TimePs completed;
};

class RequestLogIf {
  public:
    virtual ~RequestLogIf() = default;
    virtual void completed(const CompletedRequest& request) = 0;
    /// What was completed before is not in the statistics any more.
    virtual void statistics_restarted() {}
};

/// Told of the run's course: progress, end of the warm-up, the last completion.
class RunListenerIf {
  public:
    virtual ~RunListenerIf() = default;
    /// Before request `id` is dispatched; false asks the host to take no further requests.
    virtual bool dispatching(std::uint64_t id) = 0;
    /// The workload is exhausted and every command answered.
    virtual void host_finished() = 0;
    /// The time of the warm-up is over; the next request dispatched counts.
    virtual void warmed_up() {}
    /// Mapping units programmed since the statistics began. Asked now and then.
    [[nodiscard]] virtual std::uint64_t programs() const { return 0; }
};

/// The host (AT). Plays a workload, keeps at most `queue_depth` commands outstanding (tags), and
/// keeps the book of them; a transport carries commands, data and completions. Open loop: a request
/// is issued at its arrival time or when a tag is free, whichever is later, and its latency counts
/// from arrival. Closed loop: a request arrives when a tag is free and its job may send it. Data
/// moves when the device asks (data_target), as DMA does.
class HostInterface final : public sc_core::sc_module,
                            public AtRequestIf,
                            public AtResponseIf,
                            public PromptTargetIf,
                            private TransportClientIf {
  public:
    struct Params {
        std::uint32_t queue_depth = 32;
        bool closed_loop = false;
        std::uint64_t warmup = 0; ///< leading requests left out of the statistics
        TimePs ramp = 0;          ///< 0: none; else requests before then are, however many
    };
    struct OpStatistics {
        Histogram latency_ns;
        std::uint64_t bytes = 0;
        std::uint64_t failed = 0;
    };
    struct Statistics {
        std::array<OpStatistics, kRequestOps> by_op; ///< indexed by RequestOp
        /// What completed in the window from the first arrival (with a warm-up: from the completion
        /// that ended it) to the last completion: for IOPS and bandwidth.
        TimePs window_begin = kNever;
        TimePs window_end = 0;
        std::uint64_t window_requests = 0;
        std::uint64_t window_bytes = 0;
        /// The part of the window in which a command was outstanding.
        TimePs window_busy = 0;
    };

    AtInitiator command_initiator{"command_initiator", *this};
    AtTarget data_target{"data_target", *this};

    HostInterface(const sc_core::sc_module_name& name, const Params& params,
                  std::unique_ptr<HostTransportIf> transport, RequestSourceIf& source,
                  RunListenerIf& listener, RequestLogIf* log, ActivityLogIf* activity);
    ~HostInterface() override;

    /// A live source has requests, or has ended: it is asked at this instant.
    void ask_again();
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    /// The same over time, to the last answer.
    [[nodiscard]] RatePeriods periods() const {
        return periods_.ended(statistics_.window_end, totals());
    }
    /// Requests wait for answers rather than for a time.
    [[nodiscard]] bool is_closed_loop() const { return params_.closed_loop; }
    /// Without a warm-up: periods begin with the arrival of the request that is dispatched now.
    void begin_statistics() { periods_.begin(params_.closed_loop ? now_ps() : next_.arrival); }
    /// Of what the transport counts, and the periods; the warm-up of the rest is Params::warmup.
    void reset_statistics() {
        transport_->reset_statistics();
        periods_.begin(now_ps());
    }
    /// Of all; nothing is outstanding.
    void restart_statistics();
    [[nodiscard]] std::uint64_t dispatched() const { return next_id_; }
    [[nodiscard]] std::uint64_t completed() const { return ledger_.completed_commands(); }
    [[nodiscard]] const HostTransportIf& transport() const { return *transport_; }
    /// Throws ModelError unless every command was answered exactly once. Returns facts compared.
    std::uint64_t check_idle() const;

    void request(tlm::tlm_generic_payload& payload) override;
    void response(tlm::tlm_generic_payload& payload, TimePs ahead) override;
    TimePs carry_out(const Transfer& transfer) override;

  private:
    void answered(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
    void command_here(tlm::tlm_generic_payload& payload) override;
    void command_done(tlm::tlm_generic_payload& payload) override;
    void issue_requests();
    [[nodiscard]] bool may_issue();
    void issue();
    void end_ramp();
    void count(const tlm::tlm_generic_payload& payload, const HostCommandExtension& command);
    void count_busy();
    /// Out of the way of each request.
    [[gnu::noinline, gnu::cold]] void close_periods();
    [[nodiscard]] RatePeriods::Period totals() const;

    Params params_;
    std::unique_ptr<HostTransportIf> transport_;
    RequestSourceIf& source_;
    RunListenerIf& listener_;
    RequestLogIf* log_;
    ActivityLogIf* activity_;
    using Pool = ExtendedPayloadPool<HostCommandExtension>;
    Pool pool_;
    ScratchData data_;
    HostRequest next_{};
    bool has_jobs_;
    bool has_next_ = false;
    bool exhausted_ = false;
    bool issuing_ = false;
    bool finished_ = false;
    std::uint64_t next_id_ = 0;
    CommandLedger ledger_;
    std::vector<std::uint32_t> free_tags_;
    TimePs busy_since_ = 0; ///< while commands are outstanding
    sc_core::sc_event issue_event_{"issue"};
    /// Answers that a device of others gave ahead of their time.
    tlm_utils::peq_with_cb_and_phase<HostInterface> later_{this, &HostInterface::answered};
    Statistics statistics_;
    RatePeriods periods_;
};

} // namespace cavern
