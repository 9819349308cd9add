#include "timed/cpu/processors.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

// What a processor handles: no command.
constexpr std::uint64_t kOperations = ~std::uint64_t{0};
constexpr std::uint64_t kAhead = kOperations - 1;

} // namespace

Processors::Processors(EventQueue& events, const Params& params, DecisionCostIf& cost,
                       ProcessedIf& client)
    : events_(events), params_(params), cost_(cost), client_(client),
      job_of_(params.processors, kOperations), busy_until_(params.processors, 0) {
    CAVERN_CHECK(params.processors != 0 && params.period != 0 && params.page_bytes != 0,
                 "a controller has a processor, and that a clock");
    for (std::uint32_t processor = params.processors; processor > 0; --processor) {
        free_.push_back(processor - 1);
    }
}

TimePs Processors::still_to_come() const {
    TimePs all = 0;
    for (const TimePs until : busy_until_) {
        all += std::max(until, now_ps()) - now_ps();
    }
    return all;
}

Processors::Statistics Processors::statistics() const {
    Statistics past = statistics_;
    past.busy -= still_to_come();
    past.cycles -= still_to_come() / params_.period;
    return past;
}

void Processors::reset_statistics() {
    statistics_ = {};
    statistics_.busy = still_to_come();
    statistics_.cycles = still_to_come() / params_.period;
}

void Processors::take(CommandId id, const DeviceCommand& command) {
    waiting_.push({id, command, now_ps(), false});
    start();
}

/// Gives free processors what there is to do.
void Processors::start() {
    if (!free_.empty() && handed_on_) {
        const DecisionWork brought = std::exchange(brought_, {});
        handed_on_ = false;
        if (const std::uint64_t cycles = cost_.to_hand_on(brought)) {
            job_of_[free_.back()] = kOperations;
            gone_on_.operations = brought.operations;
            busy_for(cycles, gone_on_);
        }
    }
    while (!free_.empty() && !waiting_.empty()) {
        const Job job = waiting_.pop();
        job_of_[free_.back()] = first_handled_ + handled_.size();
        handled_.push(job);
        ++statistics_.commands;
        busy_for(cost_.to_decide(job.command, pages_of(job.command, params_.page_bytes)),
                 {ProcessorWork::Kind::kDecide, job.command, {}, 0, job.arrived});
    }
}

/// The last one that is free.
void Processors::busy_for(std::uint64_t cycles, ProcessorWork work) {
    const std::uint32_t processor = free_.back();
    free_.pop_back();
    const TimePs time = cycles * params_.period;
    statistics_.cycles += cycles;
    statistics_.busy += time;
    busy_until_[processor] = now_ps() + time;
    if (params_.log != nullptr && time != 0) {
        work.processor = processor;
        work.start = now_ps();
        work.duration = time;
        params_.log->busy(work);
    }
    events_.schedule(now_ps() + time, *this, processor);
}

void Processors::on_event(std::uint64_t processor) {
    const std::uint64_t job = job_of_[processor];
    in_call_ = true;
    if (job == kAhead) {
        gone_on_ = {ProcessorWork::Kind::kHandOn, {}, ahead_.plane, 0};
        handed_on_ = true;
        client_.worked_ahead(ahead_.plane, ahead_.copies);
    } else if (job != kOperations) {
        handled_[job - first_handled_].done = true;
        hand_on();
    }
    in_call_ = false;
    // Not before: a command that this has brought comes after the operations.
    free_.push_back(static_cast<std::uint32_t>(processor));
    start();
    if (has_time()) {
        client_.processor_idle();
    }
}

void Processors::brought(const DecisionWork& work) {
    brought_ += work;
    if (!in_call_) {
        gone_on_ = {ProcessorWork::Kind::kHandOn, {}, {}, 0};
        handed_on_ = true;
        start();
    }
}

void Processors::work_ahead(PlaneId plane, std::uint32_t copies) {
    CAVERN_CHECK(has_time(), "a processor works ahead when it has time");
    const std::uint64_t cycles = cost_.to_work_ahead(plane, copies);
    if (cycles == 0) {
        client_.worked_ahead(plane, copies);
        return;
    }
    CAVERN_CHECK(params_.processors == 1, "one processor at a time works ahead");
    ahead_ = {plane, copies};
    job_of_[free_.back()] = kAhead;
    busy_for(cycles, {ProcessorWork::Kind::kAhead, {}, plane, 0});
}

/// Commands that are ready, and the oldest. A decision may bring new commands.
void Processors::hand_on() {
    while (!handled_.empty() && handled_.front().done) {
        const Job job = handled_.pop();
        ++first_handled_;
        gone_on_ = {ProcessorWork::Kind::kHandOn, job.command, {}, 0};
        brought_ += client_.processed(job.id, job.command, now_ps() - job.arrived);
        handed_on_ = true;
    }
}

} // namespace cavern
