#include "timed/host/host_interface.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace cavern {

HostInterface::HostInterface(const sc_core::sc_module_name& name, const Params& params,
                             std::unique_ptr<HostTransportIf> transport, RequestSourceIf& source,
                             RunListenerIf& listener, RequestLogIf* log, ActivityLogIf* activity)
    : sc_module(name), params_(params), transport_(std::move(transport)), source_(source),
      listener_(listener), log_(log), activity_(activity), has_jobs_(source.has_jobs()),
      ledger_(params.queue_depth) {
    if (params_.ramp != 0) {
        params_.warmup = std::numeric_limits<std::uint64_t>::max();
    }
    transport_->connect(*this);
    for (std::uint32_t tag = params.queue_depth; tag > 0; --tag) {
        free_tags_.push_back(tag - 1);
    }
    SC_HAS_PROCESS(HostInterface);
    SC_METHOD(issue_requests); // runs once at the start
    sensitive << issue_event_;
}

HostInterface::~HostInterface() = default;

// ---- issuing ------------------------------------------------------------------------------------

bool HostInterface::may_issue() {
    if (!has_next_) {
        if (exhausted_ || !source_.next(next_)) {
            // Jobs may have more to ask for when they have answers, or later.
            const TimePs again = has_jobs_ && !exhausted_ ? source_.ask_again_at() : kNever;
            if (again != kNever) {
                notify_at(again, issue_event_);
            } else {
                exhausted_ = !source_.is_live() && (!has_jobs_ || ledger_.outstanding() == 0);
            }
            return false;
        }
        has_next_ = true;
        if (params_.closed_loop) {
            next_.arrival = 0;
        }
    }
    if (free_tags_.empty() || !transport_->may_issue(next_)) {
        return false;
    }
    if (next_.arrival > now_ps()) {
        notify_at(next_.arrival, issue_event_);
        return false;
    }
    return true;
}

void HostInterface::ask_again() {
    notify_at(now_ps(), issue_event_);
}

void HostInterface::issue_requests() {
    // A command may be answered inside its own issue; the loop then goes on by itself.
    issuing_ = true;
    while (may_issue()) {
        if (params_.ramp != 0 && now_ps() >= params_.ramp) {
            end_ramp();
        }
        if (!listener_.dispatching(next_id_)) {
            exhausted_ = true;
            has_next_ = false;
            break;
        }
        issue();
    }
    transport_->issued();
    issuing_ = false;
    if (exhausted_ && !has_next_ && ledger_.outstanding() == 0 && !finished_) {
        finished_ = true;
        listener_.host_finished();
    }
}

void HostInterface::end_ramp() {
    params_.ramp = 0;
    params_.warmup = next_id_;
    if (completed() == next_id_) {
        statistics_.window_begin = now_ps();
    }
    listener_.warmed_up();
}

void HostInterface::issue() {
    const TimePs now = now_ps();
    tlm::tlm_generic_payload* payload = pool_.acquire();
    HostCommandExtension& extension = Pool::extension_of(*payload);
    extension.id = next_id_++;
    extension.tag = free_tags_.back();
    free_tags_.pop_back();
    extension.op = next_.op;
    extension.fua = next_.fua;
    extension.job = next_.job;
    extension.stream = next_.stream;
    extension.zone = next_.zone;
    extension.refused = false;
    extension.arrival = params_.closed_loop ? now : next_.arrival;
    extension.pages = extension.hits = 0;
    extension.failed = false;
    extension.processor = extension.frame_wait = extension.flash = 0;
    payload->set_command(next_.op == RequestOp::kRead    ? tlm::TLM_READ_COMMAND
                         : next_.op == RequestOp::kWrite ? tlm::TLM_WRITE_COMMAND
                                                         : tlm::TLM_IGNORE_COMMAND);
    payload->set_address(next_.offset);
    extension.bytes = next_.bytes;
    // A payload without any bytes is none (IEEE 1666-2011, 14.12).
    const std::uint64_t length = moves_data(next_.op) ? next_.bytes : kSectorBytes;
    CAVERN_CHECK(length <= std::numeric_limits<std::uint32_t>::max(),
                 "data of a command has 32 bits");
    data_.attach(*payload, static_cast<std::uint32_t>(length));
    has_next_ = false;
    ledger_.issued(extension.tag, extension.id);
    if (ledger_.outstanding() == 1) {
        busy_since_ = now;
    }
    if (activity_ != nullptr) {
        activity_->host_queue(now, ledger_.outstanding());
    }
    transport_->issue(*payload, extension);
}

// ---- what the device does -----------------------------------------------------------------------

void HostInterface::command_here(tlm::tlm_generic_payload& payload) {
    HostCommandExtension& extension = Pool::extension_of(payload);
    ledger_.taken_by_device(extension.tag, extension.id);
    extension.dispatch = now_ps();
    command_initiator.send(payload);
}

void HostInterface::request(tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const TransferExtension* extension = TransferExtension::find(payload);
    const TimePs ends = transport_->move_data(
        {payload.is_write() ? MoveDirection::kWrite : MoveDirection::kRead, payload.get_address(),
         payload.get_data_length(), extension != nullptr ? extension->moved_before : 0});
    data_target.complete_ahead(payload, ends - now_ps());
}

TimePs HostInterface::carry_out(const Transfer& transfer) {
    return transport_->move_data(transfer);
}

void HostInterface::response(tlm::tlm_generic_payload& payload, TimePs ahead) {
    CAVERN_CHECK(payload.is_response_ok() || Pool::extension_of(payload).failed,
                 "the device carries out every command, and does not answer " +
                     payload.get_response_string());
    if (ahead == 0) {
        answered(payload, tlm::END_RESP);
    } else {
        notify_at(now_ps() + ahead, later_, payload, tlm::END_RESP);
    }
}

void HostInterface::answered(tlm::tlm_generic_payload& payload, const tlm::tlm_phase&) {
    HostCommandExtension& extension = Pool::extension_of(payload);
    ledger_.answered(extension.tag, extension.id);
    transport_->answered(payload, extension);
}

// ---- completion ---------------------------------------------------------------------------------

void HostInterface::command_done(tlm::tlm_generic_payload& payload) {
    const HostCommandExtension& command = Pool::extension_of(payload);
    count(payload, command);
    ledger_.completed(command.tag, command.id);
    if (ledger_.outstanding() == 0) {
        count_busy();
    }
    if (has_jobs_) {
        source_.answered(command.job);
    }
    free_tags_.push_back(command.tag);
    if (activity_ != nullptr) {
        activity_->host_queue(now_ps(), ledger_.outstanding());
    }
    payload.release();
    if (!issuing_) {
        issue_requests();
    }
}

void HostInterface::count(const tlm::tlm_generic_payload& payload,
                          const HostCommandExtension& command) {
    const TimePs now = now_ps();
    if (periods_.is_over(now)) {
        close_periods();
    }
    if (command.id >= params_.warmup) {
        const auto index = static_cast<std::size_t>(command.op);
        OpStatistics& op = statistics_.by_op[index];
        const std::uint64_t latency = to_ns(now - command.arrival);
        periods_.add(index, op.latency_ns.add(latency), latency);
        op.bytes += command.refused ? 0 : command.bytes;
        op.failed += command.failed ? 1 : 0;
        if (log_ != nullptr) {
            log_->completed({{command.arrival, payload.get_address(), command.bytes, command.op,
                              command.fua, command.job, command.stream},
                             &command,
                             now});
        }
    }
    if (completed() >= params_.warmup) {
        if (params_.warmup == 0) {
            statistics_.window_begin = std::min(statistics_.window_begin, command.arrival);
        }
        statistics_.window_end = now;
        ++statistics_.window_requests;
        statistics_.window_bytes +=
            moves_data(command.op) && !command.refused ? payload.get_data_length() : 0;
    } else if (completed() + 1 == params_.warmup) {
        statistics_.window_begin = now;
    }
}

void HostInterface::count_busy() {
    if (statistics_.window_begin != kNever) {
        statistics_.window_busy += now_ps() - std::max(busy_since_, statistics_.window_begin);
    }
}

void HostInterface::restart_statistics() {
    statistics_ = {};
    if (log_ != nullptr) {
        log_->statistics_restarted();
    }
}

void HostInterface::close_periods() {
    periods_.close(now_ps(), totals());
}

RatePeriods::Period HostInterface::totals() const {
    RatePeriods::Period all;
    for (std::size_t i = 0; i < RatePeriods::kKinds; ++i) {
        const OpStatistics& op = statistics_.by_op[i];
        all.kinds[i] = {op.latency_ns.count(), op.bytes, op.latency_ns.sum(), 0, {}};
    }
    all.programs = listener_.programs();
    return all;
}

std::uint64_t HostInterface::check_idle() const {
    const std::uint64_t steps = ledger_.check_settled(next_id_);
    CAVERN_CHECK(pool_.in_flight() == 0, "every command payload came back");
    return 1 + steps + transport_->check_idle();
}

} // namespace cavern
