#include "workload/fio_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "workload/percent.h"
#include "workload/zone_writes.h"

namespace cavern {
namespace {

/// Of one direction: the blocks that a place is drawn from.
std::uint64_t blocks_of(const FioJob& job, const FioRegion& on, FioDirection direction) {
    std::uint64_t bytes = std::min(on.bytes, on.file - on.begin);
    if (job.zone_mode == FioZones::kStrided) {
        bytes = job.zone_range != 0 ? job.zone_range : job.zone_size;
    }
    const std::uint32_t least = job.sizes[index_of(direction)].least;
    const std::uint32_t align = job.alignment(direction);
    bytes -= std::min<std::uint64_t>(bytes, least > align ? least - align : 0);
    return std::max<std::uint64_t>(bytes / align, 1);
}

/// Bytes per second that a job keeps to in one direction; 0: none are said. A rate_iops is one of
/// the least size, as in fio.
std::uint64_t rate_of(const FioJob& job, FioDirection direction) {
    const std::size_t index = index_of(direction);
    return job.rate[index] != 0 ? job.rate[index] : job.rate_iops[index] * job.sizes[index].least;
}

} // namespace

FioSource::Job::Job(const FioJob& job, const FioRegion& on, std::uint64_t seed_of_job)
    : spec(&job), region(on), seed(seed_of_job), random(seed), file_offset(on.begin),
      loops_left(job.loops) {
    for (const FioDirection direction : kFioDirections) {
        directions.push_back(Direction{
            RandomPlace(job.distribution[index_of(direction)], blocks_of(job, on, direction)),
            rate_of(job, direction), on.begin});
    }
    const bool uniform =
        std::all_of(job.distribution.begin(), job.distribution.end(),
                    [](const PlaceDistribution& one) { return one.kind == Popularity::kUniform; });
    if (job.random && !job.norandommap && uniform && job.zone_mode != FioZones::kZbd) {
        const std::uint64_t places = job.zone_mode != FioZones::kStrided ? on.bytes
                                     : job.zone_range != 0               ? job.zone_range
                                                                         : job.zone_size;
        const std::uint32_t least = job.least_size();
        map.emplace(std::max<std::uint64_t>((places + least - 1) / least, 1));
    }
    if (job.zone_mode == FioZones::kZbd && job.writes) {
        zones.resize(on.bytes / job.zone_size);
    }
}

FioSource::FioSource(FioJobs jobs, std::uint64_t capacity, bool folds, std::uint64_t run_seed,
                     Clock clock)
    : jobs_(std::move(jobs)), clock_(clock) {
    Random seeds(run_seed);
    running_.reserve(jobs_.jobs.size());
    for (const FioJob& job : jobs_.jobs) {
        const std::uint64_t drawn = seeds.next();
        running_.emplace_back(job, fio_region(jobs_, job, capacity, folds),
                              job.seed.value_or(drawn));
        Job& made = running_.back();
        made.begin = job.start_delay;
        if (job.start_delay_most > job.start_delay) {
            made.begin += seeds.below(job.start_delay_most - job.start_delay + 1);
        }
        if (job.flow != 0) {
            const auto same = [&](const Flow& flow) { return flow.id == job.flow_id; };
            auto flow = std::find_if(flows_.begin(), flows_.end(), same);
            flow = flow != flows_.end() ? flow : flows_.insert(flow, Flow{job.flow_id});
            flow->weight += job.flow;
        }
    }
    last_ = running_.size() - 1;
}

bool FioSource::next(HostRequest& request) {
    const TimePs now = clock_ != nullptr ? clock_() : 0;
    for (bool changed = true; changed;) {
        wake_ = kNever;
        begin_jobs(now);
        changed = false;
        for (std::size_t i = 0; i < running_.size(); ++i) {
            const std::size_t index = (last_ + 1 + i) % running_.size();
            Job& job = running_[index];
            const State before = job.state;
            if (step(job, now, request)) {
                last_ = index;
                ++made_;
                request.job = static_cast<std::uint32_t>(index);
                return true;
            }
            changed = changed || job.state != before;
        }
    }
    return false;
}

void FioSource::answered(std::uint32_t job) {
    --running_[job].outstanding;
    ++running_[job].answers;
}

bool FioSource::ended(std::size_t first, std::size_t end) const {
    return std::all_of(running_.begin() + static_cast<std::ptrdiff_t>(first),
                       running_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](const Job& job) { return job.state == State::kEnded; });
}

/// A start delay counts from the start of the run, also behind a stonewall.
void FioSource::begin_jobs(TimePs now) {
    for (Job& job : running_) {
        const FioJob& spec = *job.spec;
        if (job.state != State::kWaits || !ended(0, spec.behind) ||
            !ended(spec.awaits_first, spec.awaits_end)) {
            continue;
        }
        if (clock_ != nullptr && now < job.begin) {
            wake_ = std::min(wake_, job.begin);
            continue;
        }
        job.state = State::kRuns;
        job.begin = now;
        job.thought_since = now;
    }
}

/// All that a job has sent is answered; with exitall, others end with it.
void FioSource::end(Job& job) {
    job.state = State::kEnded;
    leave_flow(job);
    if (!jobs_.exitall) {
        return;
    }
    for (Job& other : running_) {
        const FioExit what = job.spec->exit_what;
        const bool meant = what == FioExit::kAll || other.spec->group == job.spec->group;
        if (other.state == State::kRuns && (meant || what == FioExit::kStonewall)) {
            other.state = State::kEnds;
        } else if (other.state == State::kWaits && meant && what != FioExit::kStonewall) {
            other.state = State::kEnded;
            leave_flow(other);
        }
    }
}

/// Whether the job sends a request now.
bool FioSource::step(Job& job, TimePs now, HostRequest& request) {
    while (job.state == State::kRuns) {
        if (waits(job, now)) {
            return false;
        }
        if (job.held) {
            request = *std::exchange(job.held, std::nullopt);
            queue(job, now, request);
            return true;
        }
        if (clock_ != nullptr && now >= end_of(job)) {
            job.state = State::kEnds;
        } else if (!job.spec->time_based && (job.file_done || is_full(job))) {
            if (job.outstanding != 0) {
                return false; // fio waits for all of a pass at its end
            }
            if (job.spec->end_fsync && job.spec->writes && !job.last_was_flush) {
                queue_flush(job, now, request);
                return true;
            }
            if (another_pass(job)) {
                begin_pass(job);
            } else {
                job.state = State::kEnds;
            }
        } else if (flow_holds(job, now)) {
            return false;
        } else if (const std::optional<Chosen> chosen = choose(job, now)) {
            job.chosen.reset();
            if (chosen->flush) {
                queue_flush(job, now, request);
                return true;
            }
            if (fill(job, chosen->direction, request)) {
                sent(job, chosen->direction, request);
                queue(job, now, request);
                return true;
            }
            job.file_done = true;
            if (job.requests == job.requests_before) {
                job.state = State::kEnds;
            } else if (job.spec->time_based) {
                begin_pass(job);
            }
        }
    }
    if (job.state == State::kEnds && job.outstanding == 0) {
        end(job);
    }
    return false;
}

/// For room in its queue, for what blocks it, or for the end of a pause.
bool FioSource::waits(Job& job, TimePs now) {
    if (job.outstanding >= job.spec->iodepth || job.answers < job.answers_wanted) {
        return true;
    }
    if (job.blocked && job.outstanding != 0) {
        return true;
    }
    job.blocked = false;
    if (std::exchange(job.may_think, false)) {
        think(job, now);
    }
    if (job.drains && job.outstanding != 0) {
        return true;
    }
    if (std::exchange(job.drains, false)) {
        job.resumes_at = now + job.pause;
    }
    const TimePs until = std::min(job.resumes_at, end_of(job));
    if (clock_ != nullptr && now < until) {
        wake_ = std::min(wake_, until);
        return true;
    }
    return false;
}

/// fio's handle_thinktime(): after so many blocks, or so long a time, what is under way ends, and
/// then the job thinks.
void FioSource::think(Job& job, TimePs now) {
    const FioJob& spec = *job.spec;
    if (spec.thinktime == 0) {
        return;
    }
    const std::uint64_t blocks = spec.thinktime_counts_issued ? job.requests : job.answers;
    const bool by_time = spec.thinktime_iotime != 0 &&
                         now - job.thought_since >= spec.thinktime_iotime + spec.thinktime;
    const bool by_blocks =
        spec.thinktime_blocks != 0 && blocks >= job.thought_at + spec.thinktime_blocks;
    if (!by_time && !by_blocks) {
        return;
    }
    job.thought_at = blocks;
    job.thought_since = now;
    job.drains = true;
    job.pause = std::max(spec.thinktime, spec.thinktime_spin);
    Direction& own = job.directions[index_of(job.last_direction)];
    if (own.rate != 0 && spec.rate_ignore_thinktime) {
        // What would have been done meanwhile counts as done, but for one block.
        const auto missed =
            static_cast<std::uint64_t>(static_cast<Uint128>(own.rate) * spec.thinktime / kSecond);
        const std::uint64_t block = spec.sizes[index_of(job.last_direction)].least;
        own.rate_bytes += missed > block ? missed - block : 0;
        own.poisson_time += spec.thinktime;
    }
}

/// fio's flow_threshold_exceeded(): each job keeps to its share of what all of a flow have sent.
bool FioSource::flow_holds(Job& job, TimePs now) {
    if (job.spec->flow == 0) {
        return false;
    }
    Flow& flow = *std::find_if(flows_.begin(), flows_.end(),
                               [&](const Flow& one) { return one.id == job.spec->flow_id; });
    if (job.flow_count * flow.weight > std::uint64_t{job.spec->flow} * flow.count) {
        if (job.spec->flow_sleep != 0) {
            job.drains = true;
            job.pause = job.spec->flow_sleep;
            return waits(job, now) || clock_ == nullptr;
        }
        return true;
    }
    ++flow.count;
    ++job.flow_count;
    return false;
}

void FioSource::leave_flow(const Job& job) {
    for (Flow& flow : flows_) {
        if (job.spec->flow != 0 && flow.id == job.spec->flow_id) {
            flow.weight -= job.spec->flow;
            flow.count -= std::min(flow.count - 1, job.flow_count);
        }
    }
}

/// When its runtime is over; it begins behind the ramp.
TimePs FioSource::end_of(const Job& job) {
    const FioJob& spec = *job.spec;
    return spec.runtime ? job.begin + spec.ramp_time + *spec.runtime : kNever;
}

/// Whether all is done that its size, io_size or number_ios says, of all its loops together.
bool FioSource::is_full(const Job& job) {
    const FioJob& spec = *job.spec;
    const std::uint64_t ios = spec.number_ios * (spec.trims_then_writes() ? 2 : 1);
    return job.bytes >= job.region.limit * spec.loops ||
           (ios != 0 && job.requests >= ios * spec.loops);
}

/// fio's keep_running(), asked behind each pass.
bool FioSource::another_pass(Job& job) {
    const FioJob& spec = *job.spec;
    if (--job.loops_left > 0) {
        return true;
    }
    job.loops_left = 1;
    if (is_full(job) || job.all_bytes >= job.region.limit) {
        return false;
    }
    const bool room = job.region.limit - job.all_bytes >= spec.most_size();
    return room && (!job.file_done || spec.io_size);
}

void FioSource::begin_pass(Job& job) {
    job.file_done = false;
    job.requests_before = job.requests;
    job.zone_bytes = 0;
    job.last_was_flush = false;
    for (Direction& direction : job.directions) {
        direction.last_end = job.file_offset;
        direction.begun = false;
    }
    if (job.map) {
        job.map->clear();
    }
    if (job.spec->randrepeat) {
        job.random = Random(job.seed);
    }
}

std::optional<FioSource::Chosen> FioSource::choose(Job& job, TimePs now) {
    const FioJob& spec = *job.spec;
    if (job.chosen) {
        return job.chosen; // it has waited for its time
    }
    const std::uint64_t writes = job.directions[index_of(FioDirection::kWrite)].issued;
    if (spec.fsync != 0 && !spec.trims_then_writes() && writes != 0 && writes % spec.fsync == 0 &&
        !job.last_was_flush) {
        return Chosen{FioDirection::kWrite, true};
    }
    FioDirection direction = spec.reads    ? FioDirection::kRead
                             : spec.writes ? FioDirection::kWrite
                                           : FioDirection::kTrim;
    if (spec.mixes() && job.random.below(kPercentSteps) >= steps_of(spec.rwmixread)) {
        direction = FioDirection::kWrite;
    }
    const std::optional<FioDirection> allowed = by_rate(job, direction, now);
    if (!allowed) {
        return std::nullopt;
    }
    direction = *allowed;
    if (spec.trims_then_writes()) {
        const bool trimmed = job.directions[index_of(FioDirection::kTrim)].last_end !=
                             job.directions[index_of(FioDirection::kWrite)].last_end;
        direction = trimmed ? FioDirection::kWrite : FioDirection::kTrim;
    }
    return Chosen{direction, false};
}

/// fio's rate_ddir(): the direction itself where it is due, else the other one of a mix where that
/// is, else a pause until the first of them.
std::optional<FioDirection> FioSource::by_rate(Job& job, FioDirection direction, TimePs now) {
    const TimePs since = now - job.begin;
    const auto due = [&](FioDirection which) { return job.directions[index_of(which)].next_time; };
    if (clock_ == nullptr || due(direction) <= since) {
        return direction;
    }
    const FioDirection other =
        direction == FioDirection::kRead ? FioDirection::kWrite : FioDirection::kRead;
    const double share =
        other == FioDirection::kRead ? job.spec->rwmixread : 100 - job.spec->rwmixread;
    if (job.spec->mixes() && share > 0) {
        if (due(other) <= since) {
            return other;
        }
        direction = due(direction) <= due(other) ? direction : other;
    }
    job.chosen = Chosen{direction, false};
    job.pause = due(direction) - since;
    if (job.spec->offload) {
        job.resumes_at = now + job.pause;
    } else {
        job.drains = true;
    }
    return std::nullopt;
}

void FioSource::queue_flush(Job& job, TimePs now, HostRequest& request) {
    request = {};
    request.op = RequestOp::kFlush;
    queue(job, now, request);
}

/// Counts a request of data, and sets the time of the next one; a write goes to its zone.
void FioSource::sent(Job& job, FioDirection direction, HostRequest& request) {
    const FioJob& spec = *job.spec;
    Direction& own = job.directions[index_of(direction)];
    ++own.issued;
    ++job.requests;
    job.last_direction = direction;
    job.may_think = true;
    job.zone_bytes += request.bytes;
    job.all_bytes += request.bytes;
    job.bytes += spec.trims_then_writes() && direction == FioDirection::kTrim ? 0 : request.bytes;
    own.rate_bytes += request.bytes;
    if (own.rate != 0) {
        if (spec.poisson) {
            const double mean = static_cast<double>(spec.sizes[index_of(direction)].least) /
                                static_cast<double>(own.rate) * static_cast<double>(kSecond);
            own.poisson_time += static_cast<TimePs>(-std::log(1 - job.random.uniform()) * mean);
        }
        own.next_time =
            spec.poisson
                ? own.poisson_time
                : static_cast<TimePs>(static_cast<Uint128>(own.rate_bytes) * kSecond / own.rate);
    }
    if (!job.zones.empty() && direction == FioDirection::kWrite) {
        const ZoneLayout layout{job.region.begin, spec.zone_size, spec.zone_size, false};
        std::uint64_t following = own.last_end - job.region.begin;
        if (const auto reset = place_in_zone(layout, !spec.random, job.zones, following, request)) {
            job.held = request;
            request = *reset;
        }
        own.last_end = job.region.begin + following;
    }
}

/// A queue that it fills has to be answered before it is filled again.
void FioSource::queue(Job& job, TimePs now, HostRequest& request) {
    const FioJob& spec = *job.spec;
    request.arrival = now;
    job.last_was_flush = request.op == RequestOp::kFlush;
    job.blocked = (spec.waits_for_flush && job.last_was_flush) ||
                  (spec.waits_for_trim && request.op == RequestOp::kTrim);
    if (++job.outstanding == spec.iodepth) {
        const std::uint32_t low = spec.iodepth_low != 0 ? spec.iodepth_low : spec.iodepth;
        const std::uint32_t least = std::min(spec.iodepth_batch_complete, spec.iodepth);
        const std::uint32_t rounds =
            std::max<std::uint32_t>((spec.iodepth - low + least - 1) / least, 1);
        job.answers_wanted = job.answers + std::min(rounds * least, spec.iodepth);
    }
}

SourcePosition FioSource::position() const {
    return {jobs_.file, running_[last_].spec->line};
}

} // namespace cavern
