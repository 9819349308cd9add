#include "drive/live_drive.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/base/sectors.h"
#include "drive/host_builder.h"
#include "drive/kernel_error.h"
#include "timed/tlm/restart_kernel.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

/// Of one write of zeros: what drivers send at most.
constexpr std::uint64_t kMostZeros = std::uint64_t{1} << 20;

HostInterface::Params host_params(const DrivePlan& config) {
    HostInterface::Params host;
    host.queue_depth = most_outstanding(config.host);
    return host;
}

RequestOp op_of(LiveOp op) {
    switch (op) {
    case LiveOp::kRead:
        return RequestOp::kRead;
    case LiveOp::kTrim:
        return RequestOp::kTrim;
    case LiveOp::kFlush:
        return RequestOp::kFlush;
    case LiveOp::kWrite:
    case LiveOp::kWriteZeroes:
        break;
    }
    return RequestOp::kWrite;
}

} // namespace

LiveDrive::LiveDrive(const DrivePlan& config, std::unique_ptr<DriveCore> core,
                     const SsdProbes& probes)
    : config_(config), probes_(probes), page_bytes_(config.geometry.page_bytes),
      capacity_(core->host_pages() * page_bytes_),
      trims_read_zeros_(config.data.trim_reads == TrimReads::kZeros), log_(probes.requests),
      data_(probes.data) {
    probes_.requests = this;
    probes_.data = data_ != nullptr ? this : nullptr;
    ssd_ = make_ssd(std::move(core), nullptr);
}

std::unique_ptr<Ssd> LiveDrive::make_ssd(std::unique_ptr<DriveCore> core,
                                         std::unique_ptr<SsdFlash> flash) {
    return std::make_unique<Ssd>("ssd", config_, std::move(core), source_, host_params(config_),
                                 probes_, std::move(flash));
}

LiveDrive::~LiveDrive() = default;

// ---- requests -----------------------------------------------------------------------------------

std::uint64_t LiveDrive::submit(const LiveRequest& request) {
    CAVERN_CHECK(request.offset % kSectorBytes == 0 && request.bytes % kSectorBytes == 0,
                 "a request has whole sectors");
    CAVERN_CHECK(request.offset <= capacity_ && request.bytes <= capacity_ - request.offset,
                 "a request lies within the drive");
    CAVERN_CHECK((request.op == LiveOp::kFlush) == (request.bytes == 0),
                 "a request has bytes, and a flush has none");
    const bool moves = request.op == LiveOp::kRead || request.op == LiveOp::kWrite;
    CAVERN_CHECK(!moves || request.bytes <= std::numeric_limits<std::uint32_t>::max(),
                 "a request moves less than 4 GiB");
    const SubmissionId id = submissions_.allocate();
    const TimePs now = this->now();
    submissions_[id].completion = {request.tag, next_number_, LiveStatus::kDone, now, now};
    submissions_[id].flushes = request.fua && !moves && request.op != LiveOp::kFlush;
    if (request.op == LiveOp::kWriteZeroes) {
        submit_zeros(id, request);
    } else {
        HostRequest command;
        command.op = op_of(request.op);
        command.fua = request.fua && request.op == LiveOp::kWrite;
        command.offset = request.offset;
        command.bytes = request.bytes;
        send(id, command);
    }
    ssd_->ask_for_requests();
    return next_number_++;
}

void LiveDrive::submit_zeros(SubmissionId id, const LiveRequest& request) {
    const std::uint64_t end = request.offset + request.bytes;
    const std::uint64_t first = (request.offset + page_bytes_ - 1) / page_bytes_ * page_bytes_;
    const std::uint64_t last = end / page_bytes_ * page_bytes_;
    if (request.keeps_place || !trims_read_zeros_ || first >= last) {
        send_writes_of_zeros(id, request.offset, end);
        return;
    }
    send_writes_of_zeros(id, request.offset, first);
    HostRequest trim;
    trim.op = RequestOp::kTrim;
    trim.offset = first;
    trim.bytes = last - first;
    send(id, trim);
    send_writes_of_zeros(id, last, end);
}

void LiveDrive::send_writes_of_zeros(SubmissionId id, std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
        HostRequest write;
        write.op = RequestOp::kWrite;
        write.offset = begin;
        write.bytes = std::min(end - begin, kMostZeros);
        send(id, write, true);
        begin += write.bytes;
    }
}

void LiveDrive::send(SubmissionId id, const HostRequest& command, bool zeros) {
    HostRequest now_wanted = command;
    now_wanted.arrival = now();
    ++submissions_[id].commands;
    commands_.push({id, submissions_[id].completion.tag, zeros, false});
    source_.push(now_wanted);
}

void LiveDrive::statistics_restarted() {
    if (log_ != nullptr) {
        log_->statistics_restarted();
    }
}

void LiveDrive::completed(const CompletedRequest& request) {
    if (log_ != nullptr) {
        log_->completed(request);
    }
    Command& command = commands_[request.where->id - first_command_];
    CAVERN_CHECK(!command.done, "a command completes once");
    command.done = true;
    const SubmissionId id = command.of;
    while (!commands_.empty() && commands_.front().done) {
        commands_.pop();
        ++first_command_;
    }
    Submission& submission = submissions_[id];
    if (request.where->failed) {
        submission.completion.status = LiveStatus::kLost;
    } else if (request.where->refused) {
        submission.completion.status = LiveStatus::kRefused;
    }
    if (--submission.commands != 0) {
        return;
    }
    if (submission.flushes) {
        submission.flushes = false;
        HostRequest flush;
        flush.op = RequestOp::kFlush;
        send(id, flush);
        return; // the host asks for the next request now
    }
    submission.completion.completed = request.completed;
    completions_.push(submission.completion);
    submissions_.release(id);
    if (stops_at_completion_) {
        sc_core::sc_pause();
    }
}

// ---- data ---------------------------------------------------------------------------------------

void LiveDrive::take(std::uint64_t command, std::uint64_t offset, std::byte* to,
                     std::uint32_t bytes) {
    const Command& of = commands_[command - first_command_];
    if (of.zeros) {
        std::memset(to, 0, bytes);
    } else {
        data_->take(of.tag, offset, to, bytes);
    }
}

void LiveDrive::give(std::uint64_t command, std::uint64_t offset, const std::byte* from,
                     std::uint32_t bytes) {
    data_->give(commands_[command - first_command_].tag, offset, from, bytes);
}

// ---- completions --------------------------------------------------------------------------------

bool LiveDrive::poll(LiveCompletion& completion) {
    if (completions_.empty()) {
        return false;
    }
    completion = completions_.pop();
    return true;
}

// ---- time ---------------------------------------------------------------------------------------

TimePs LiveDrive::now() const {
    return now_ps();
}

TimePs LiveDrive::next_event() const {
    const sc_core::sc_simcontext* kernel = sc_core::sc_get_curr_simcontext();
    if (!sc_core::sc_pending_activity(kernel)) {
        return hold_;
    }
    return std::min(hold_, now() + to_ps(sc_core::sc_time_to_pending_activity(kernel)));
}

void LiveDrive::step_to(TimePs time) {
    CAVERN_CHECK(time != kNever, "time can be stepped to");
    stops_at_completion_ = false;
    step(time, sc_core::SC_RUN_TO_TIME);
}

void LiveDrive::step_to_completion(TimePs limit) {
    stops_at_completion_ = true;
    step(limit, limit == kNever ? sc_core::SC_EXIT_ON_STARVATION : sc_core::SC_RUN_TO_TIME);
    stops_at_completion_ = false;
}

void LiveDrive::step(TimePs limit, sc_core::sc_starvation_policy at_rest) {
    if (limit >= hold_) {
        limit = hold_;
        at_rest = next_event() == kNever ? at_rest : sc_core::SC_RUN_TO_TIME;
    }
    const TimePs most = to_ps(sc_core::sc_max_time());
    if (limit <= now() || (at_rest == sc_core::SC_EXIT_ON_STARVATION && next_event() == kNever)) {
        return;
    }
    try {
        sc_core::sc_start(to_sc_time(std::min(limit, most) - now()), at_rest);
    } catch (const sc_core::sc_report& report) {
        rethrow_kernel_error(report, ssd_->core());
    }
}

void LiveDrive::lose_power(RecoveryCounters& counters) {
    const TimePs before = counters.drain_time + counters.time;
    const TimePs at = now();
    std::unique_ptr<DriveCore> recovered = ssd_->lose_power(counters);
    std::unique_ptr<SsdFlash> flash = ssd_->take_flash();
    ssd_.reset();
    source_ = {};
    submissions_ = {};
    commands_ = {};
    first_command_ = 0;
    completions_ = {};
    restart_kernel();
    ssd_ = make_ssd(std::move(recovered), std::move(flash));
    step_to(at + (counters.drain_time + counters.time - before));
    restart_statistics();
}

bool LiveDrive::finish(const std::function<bool()>& goes_on) {
    constexpr TimePs kAtOnce = 10'000 * kUs;
    source_.close();
    ssd_->ask_for_requests();
    while (next_event() != kNever) {
        if (!goes_on()) {
            return false;
        }
        step(std::max(next_event() + 1, now() + kAtOnce), sc_core::SC_EXIT_ON_STARVATION);
    }
    CAVERN_CHECK(outstanding() == 0, "every request completes");
    return true;
}

} // namespace cavern
