#include "timed/host/host_interface.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

HostInterface::HostInterface(const sc_core::sc_module_name& name, AlarmClock& clock,
                             const Params& params,
                             const HostLinkIf& link, RequestSourceIf& source,
                             RunListenerIf& listener, RequestLogIf* log, ActivityLogIf* activity)
    : sc_module(name), clock_(clock), params_(params), link_(link), source_(source), listener_(listener),
      log_(log), activity_(activity) {
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
            exhausted_ = true;
            return false;
        }
        has_next_ = true;
        if (params_.closed_loop) {
            next_.arrival = 0;
        }
    }
    if (free_tags_.empty() || runs_alone_ ||
        (outstanding_ != 0 && link_.runs_alone(next_.op))) {
        return false;
    }
    if (next_.arrival > now_ps()) {
        issue_event_.notify(to_sc_time(next_.arrival - now_ps()));
        return false;
    }
    return true;
}

void HostInterface::issue_requests() {
    // A command may be answered inside its own issue; the loop then goes on by itself.
    issuing_ = true;
    while (may_issue()) {
        if (!listener_.dispatching(next_id_)) {
            exhausted_ = true;
            has_next_ = false;
            break;
        }
        issue();
    }
    issuing_ = false;
    if (exhausted_ && !has_next_ && outstanding_ == 0 && !finished_) {
        finished_ = true;
        listener_.host_finished();
    }
}

void HostInterface::issue() {
    const TimePs now = now_ps();
    tlm::tlm_generic_payload* payload = pool_.acquire();
    HostCommandExtension& extension = Pool::extension_of(*payload);
    extension.id = next_id_++;
    extension.tag = free_tags_.back();
    free_tags_.pop_back();
    extension.op = next_.op;
    extension.arrival = params_.closed_loop ? now : next_.arrival;
    extension.pages = extension.hits = 0;
    extension.frame_wait = extension.flash = 0;
    payload->set_command(next_.op == RequestOp::kRead    ? tlm::TLM_READ_COMMAND
                         : next_.op == RequestOp::kWrite ? tlm::TLM_WRITE_COMMAND
                                                         : tlm::TLM_IGNORE_COMMAND);
    payload->set_address(next_.offset);
    payload->set_data_length(next_.bytes);
    payload->set_streaming_width(next_.bytes);
    has_next_ = false;
    runs_alone_ = link_.runs_alone(next_.op);
    ++outstanding_;
    if (activity_ != nullptr) {
        activity_->host_queue(now, outstanding_);
    }
    const TimePs duration = link_.command_time(next_.op);
    const TimePs arrived = duration == 0 ? now : occupy_link(false, duration);
    schedule(arrived + params_.turnaround, *payload, Step::kCommandArrived);
}

// ---- the link -----------------------------------------------------------------------------------

TimePs HostInterface::occupy_link(bool to_host, TimePs duration) {
    TimePs& free_at = link_free_at_[to_host && !link_.half_duplex() ? 1 : 0];
    free_at = std::max(free_at, now_ps()) + duration;
    statistics_.link_busy += duration;
    return free_at;
}

void HostInterface::request(tlm::tlm_generic_payload& payload) {
    const bool to_host = payload.is_write();
    const TransferExtension* extension = TransferExtension::find(payload);
    const std::uint64_t before = extension != nullptr ? extension->moved_before : 0;
    const TimePs duration = link_.data_time(to_host ? RequestOp::kRead : RequestOp::kWrite, before,
                                            payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    data_target.complete_ahead(payload, occupy_link(to_host, duration) - now_ps());
}

void HostInterface::response(tlm::tlm_generic_payload& payload, TimePs ahead) {
    CAVERN_CHECK(ahead == 0, "the device answers when a command is done, not before");
    CAVERN_CHECK(payload.is_response_ok(), "the device carries out every command");
    const RequestOp op = Pool::extension_of(payload).op;
    const TimePs duration = link_.status_time(op);
    schedule(duration == 0 ? now_ps() : occupy_link(true, duration), payload, Step::kCompleted);
}

// ---- steps -------------------------------------------------------------------------------------

void HostInterface::schedule(TimePs at, tlm::tlm_generic_payload& payload, Step step) {
    if (at == now_ps()) {
        perform(payload, step);
        return;
    }
    clock_.set(at, *this,
               reinterpret_cast<std::uintptr_t>(&payload) | static_cast<std::uintptr_t>(step));
}

void HostInterface::alarm(std::uint64_t what) {
    constexpr std::uint64_t kSteps = 1;
    auto* payload = reinterpret_cast<tlm::tlm_generic_payload*>(what & ~kSteps);
    perform(*payload, static_cast<Step>(what & kSteps));
}

void HostInterface::perform(tlm::tlm_generic_payload& payload, Step step) {
    switch (step) {
    case Step::kCommandArrived:
        Pool::extension_of(payload).dispatch = now_ps();
        command_initiator.send(payload);
        break;
    case Step::kCompleted:
        complete(payload);
        break;
    }
}

void HostInterface::complete(tlm::tlm_generic_payload& payload) {
    const TimePs now = now_ps();
    const HostCommandExtension& command = Pool::extension_of(payload);
    if (command.id >= params_.warmup) {
        OpStatistics& op = statistics_.by_op[static_cast<std::size_t>(command.op)];
        op.latency_ns.add((now - command.arrival + kNs / 2) / kNs);
        op.bytes += payload.get_data_length();
        if (log_ != nullptr) {
            log_->completed({{command.arrival, payload.get_address(), payload.get_data_length(),
                              command.op},
                             &command,
                             now});
        }
    }
    if (completed_ >= params_.warmup) {
        if (params_.warmup == 0) {
            statistics_.window_begin = std::min(statistics_.window_begin, command.arrival);
        }
        statistics_.window_end = now;
        ++statistics_.window_requests;
        statistics_.window_bytes += payload.is_read() || payload.is_write()
                                        ? payload.get_data_length()
                                        : 0;
    } else if (completed_ + 1 == params_.warmup) {
        statistics_.window_begin = now;
    }
    free_tags_.push_back(command.tag);
    runs_alone_ = false;
    --outstanding_;
    ++completed_;
    if (activity_ != nullptr) {
        activity_->host_queue(now, outstanding_);
    }
    payload.release();
    if (!issuing_) {
        issue_requests();
    }
}

std::uint64_t HostInterface::check_idle() const {
    CAVERN_CHECK(outstanding_ == 0 && completed_ == next_id_,
                 "every command issued was answered once");
    CAVERN_CHECK(pool_.in_flight() == 0, "every command payload came back");
    return 2;
}

} // namespace cavern
