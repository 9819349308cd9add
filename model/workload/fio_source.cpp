#include "workload/fio_source.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/wide.h"
#include "workload/field.h"
#include "workload/percent.h"

namespace cavern {

FioSource::FioSource(FioJobs jobs, std::uint64_t capacity, bool folds, std::uint64_t run_seed,
                     Clock clock, std::optional<std::size_t> only)
    : jobs_(std::move(jobs)), clock_(clock) {
    Random seeds(run_seed);
    running_.reserve(jobs_.jobs.size());
    for (const FioJob& job : jobs_.jobs) {
        const std::uint64_t drawn = seeds.next();
        running_.emplace_back(job, fio_region(jobs_, job, capacity, folds),
                              job.seed.value_or(drawn), clock != nullptr);
        if (job.start_delay_most > job.start_delay) {
            running_.back().begin += seeds.below(job.start_delay_most - job.start_delay + 1);
        }
        if (only.value_or(running_.size() - 1) != running_.size() - 1) {
            running_.back().state = State::kEnded;
        }
    }
    last_ = running_.size() - 1;
}

bool FioSource::next(HostRequest& request) {
    const TimePs now = clock_ != nullptr ? clock_() : 0;
    for (bool changed = true; changed;) {
        begin_jobs(now);
        wake_ = begins_;
        changed = false;
        std::size_t index = last_;
        for (std::size_t i = 0; i < running_.size(); ++i) {
            index = index + 1 == running_.size() ? 0 : index + 1;
            Job& job = running_[index];
            const State before = job.state;
            if (step(job, now, request)) {
                last_ = index;
                request.job = static_cast<std::uint32_t>(index);
                return true;
            }
            changed = changed || job.state != before;
        }
    }
    return false;
}

SourcePosition FioSource::position() const {
    return {jobs_.file, running_[last_].spec->line};
}

// ---- which jobs run

bool FioSource::ended(std::size_t first, std::size_t end) const {
    return std::all_of(running_.begin() + static_cast<std::ptrdiff_t>(first),
                       running_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Job& job) { return job.state == State::kEnded; });
}

/// A start delay counts from the start of the run, also behind a stonewall.
void FioSource::begin_jobs(TimePs now) {
    if (now < begins_) {
        return;
    }
    begins_ = kNever;
    for (Job& job : running_) {
        const FioJob& spec = *job.spec;
        if (job.state != State::kWaits || !ended(0, spec.behind) ||
            !ended(spec.awaits_first, spec.awaits_end)) {
            continue;
        }
        if (clock_ != nullptr && now < job.begin) {
            begins_ = std::min(begins_, job.begin);
            continue;
        }
        job.state = State::kRuns;
        job.begin = now;
        job.pace.begin(now);
        flow_of(job).weight += spec.flow;
    }
}

/// All that a job has sent is answered; with exitall, others end with it.
void FioSource::end(Job& job) {
    job.state = State::kEnded;
    begins_ = 0;
    Flow& flow = flow_of(job);
    flow.weight -= job.spec->flow;
    flow.count -= job.flow_count;
    if (!jobs_.exitall) {
        return;
    }
    const FioExit what = job.spec->exit_what;
    for (Job& other : running_) {
        const bool meant = what == FioExit::kAll || other.spec->group == job.spec->group;
        if (other.state == State::kRuns && (meant || what == FioExit::kStonewall)) {
            other.state = State::kEnds;
        } else if (other.state == State::kWaits && meant && what != FioExit::kStonewall) {
            other.state = State::kEnded;
        }
    }
}

FioSource::Flow& FioSource::flow_of(const Job& job) {
    const auto same = [&](const Flow& flow) { return flow.id == job.spec->flow_id; };
    const auto flow = std::find_if(flows_.begin(), flows_.end(), same);
    return flow != flows_.end() ? *flow : flows_.emplace_back(Flow{job.spec->flow_id});
}

/// flow_threshold_exceeded() of fio: each job keeps to its share of what all of a flow have sent.
bool FioSource::flow_holds(Job& job) {
    if (job.spec->flow == 0) {
        return false;
    }
    Flow& flow = flow_of(job);
    if (job.flow_count * flow.weight > std::uint64_t{job.spec->flow} * flow.count) {
        if (job.spec->flow_sleep != 0) {
            job.pace.pause(job.spec->flow_sleep);
        }
        return true;
    }
    ++flow.count;
    ++job.flow_count;
    return false;
}

// ---- a job

/// Whether the job sends a request now.
bool FioSource::step(Job& job, TimePs now, HostRequest& request) {
    while (job.state == State::kRuns && !waits(job, now)) {
        if (job.held) {
            request = *std::exchange(job.held, std::nullopt);
        } else if (now >= end_of(job) && clock_ != nullptr) {
            job.state = State::kEnds;
            continue;
        } else if (job.file_done || (!job.spec->time_based && is_full(job))) {
            if (!job.pace.idle()) {
                return false; // fio waits for all of a pass at its end
            }
            if (!job.spec->end_fsync || !job.spec->writes || job.last_was_flush) {
                end_pass(job);
                continue;
            }
            make_flush(request);
        } else if (flow_holds(job)) {
            static_cast<void>(waits(job, now)); // for the end of its flow_sleep
            return false;
        } else if (flush_is_due(job)) {
            make_flush(request);
        } else if (const std::optional<FioDirection> direction = choose(job, now); !direction) {
            continue; // it pauses
        } else if (!make(job, *direction, request)) {
            job.file_done = true;
            continue;
        }
        send(job, now, request);
        return true;
    }
    if (job.state == State::kEnds && job.pace.idle()) {
        end(job);
    }
    return false;
}

bool FioSource::waits(Job& job, TimePs now) {
    if (!job.pace.waits(now)) {
        return false;
    }
    const TimePs until = std::min(job.pace.resumes_at(), end_of(job));
    if (until >= FioPace::kEndOfTime) {
        throw UserError(jobs_.file, job.spec->line,
                        "job " + quote(job.spec->name) + " waits longer than 106 days",
                        "a higher rate or a shorter pause");
    }
    if (clock_ != nullptr && until > now) {
        wake_ = std::min(wake_, until);
        return true;
    }
    // It waits for an answer, unless its runtime has ended a pause.
    return job.pace.resumes_at() <= now || now < end_of(job);
}

/// When its runtime is over; it begins behind the ramp.
TimePs FioSource::end_of(const Job& job) {
    const FioJob& spec = *job.spec;
    const Uint128 end = Uint128{job.begin} + spec.ramp_time + spec.runtime.value_or(0);
    return spec.runtime && end < kNever ? static_cast<TimePs>(end) : kNever;
}

/// Whether all is done that its size, io_size or number_ios says, of all its loops together.
bool FioSource::is_full(const Job& job) {
    const FioJob& spec = *job.spec;
    const Uint128 ios = Uint128{spec.number_ios} * (spec.trims_then_writes() ? 2 : 1) * spec.loops;
    return job.bytes >= Uint128{job.limit} * spec.loops || (ios != 0 && job.requests >= ios);
}

/// keep_running() of fio, asked behind each pass. One in which nothing could be sent is the last.
bool FioSource::another_pass(Job& job) {
    const FioJob& spec = *job.spec;
    const bool sent = job.requests != job.requests_before;
    if (spec.time_based) {
        return sent;
    }
    if (job.loops_left > 1) {
        --job.loops_left;
        return true;
    }
    return sent && !is_full(job) && job.all_bytes < job.limit &&
           job.limit - job.all_bytes >= spec.most_size() && (!job.file_done || spec.io_size);
}

void FioSource::end_pass(Job& job) {
    if (!another_pass(job)) {
        job.state = State::kEnds;
        return;
    }
    job.file_done = false;
    job.last_was_flush = false;
    job.requests_before = job.requests;
    job.places.begin_pass();
    if (job.spec->randrepeat) {
        job.random = Random(job.seed);
    }
}

bool FioSource::flush_is_due(const Job& job) {
    const FioJob& spec = *job.spec;
    return spec.fsync != 0 && !spec.trims_then_writes() && job.writes != 0 &&
           job.writes % spec.fsync == 0 && !job.last_was_flush && !job.pace.has_paused();
}

/// The direction of the next request; absent: its rate lets none go yet.
std::optional<FioDirection> FioSource::choose(Job& job, TimePs now) {
    const FioJob& spec = *job.spec;
    std::optional<FioDirection> direction = job.pace.take_paused();
    if (!direction) {
        const bool writes = spec.writes && (!spec.mixes() || job.random.below(kPercentSteps) >=
                                                                 steps_of(spec.rwmixread));
        direction = job.pace.by_rate(writes       ? FioDirection::kWrite
                                     : spec.reads ? FioDirection::kRead
                                                  : FioDirection::kTrim,
                                     now);
    }
    if (direction && spec.trims_then_writes()) {
        direction = job.places.has_trimmed() ? FioDirection::kWrite : FioDirection::kTrim;
    }
    return direction;
}

/// False where the file has no request left in this pass.
bool FioSource::make(Job& job, FioDirection direction, HostRequest& request) {
    if (!job.places.fill(direction, job.random, request)) {
        return false;
    }
    const bool counts = direction != FioDirection::kTrim || !job.spec->trims_then_writes();
    ++job.requests;
    job.writes += direction == FioDirection::kWrite ? 1 : 0;
    job.all_bytes += request.bytes;
    job.bytes += counts ? request.bytes : 0;
    job.pace.made(direction, request.bytes, job.random);
    if (direction == FioDirection::kWrite) {
        if (const std::optional<HostRequest> reset = job.places.to_zone(request)) {
            job.held = request;
            request = *reset;
        }
    }
    return true;
}

void FioSource::make_flush(HostRequest& request) {
    request = {};
    request.op = RequestOp::kFlush;
}

void FioSource::send(Job& job, TimePs now, HostRequest& request) {
    request.arrival = now;
    job.last_was_flush = request.op == RequestOp::kFlush;
    job.pace.sent(request.op);
}

} // namespace cavern
