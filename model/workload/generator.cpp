#include "workload/generator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/wide.h"
#include "workload/field.h"
#include "workload/percent.h"
#include "workload/zone_writes.h"

namespace cavern {
namespace {

constexpr TimePs kMaxArrival = std::numeric_limits<std::int64_t>::max();

bool is_random(Pattern pattern) {
    return pattern == Pattern::kRandRead || pattern == Pattern::kRandWrite ||
           pattern == Pattern::kRandTrim || pattern == Pattern::kRandRw;
}

RequestOp changes_of(Pattern pattern) {
    return pattern == Pattern::kTrim || pattern == Pattern::kRandTrim ? RequestOp::kTrim
                                                                      : RequestOp::kWrite;
}

/// An exponential variate of mean 1 in units of 2^-64, by comparisons alone (von Neumann, "Various
/// techniques used in connection with random digits", 1951): the length of the falling run that
/// begins with a uniform u is odd with probability e^-u; every even run adds 1.
Uint128 exponential(Random& random) {
    for (std::uint64_t whole = 0;; ++whole) {
        const std::uint64_t first = random.next();
        std::uint64_t last = first;
        bool odd = true;
        for (std::uint64_t draw = random.next(); draw < last; draw = random.next()) {
            last = draw;
            odd = !odd;
        }
        if (odd) {
            return (static_cast<Uint128>(whole) << 64) + first;
        }
    }
}

} // namespace

Generator::Direction::Direction(const JobSpec& spec, bool read)
    : sizes(spec.sizes(read)), alignment(spec.alignment(read)), region(spec.whole_region(read)),
      last_of_only(alignment.divide(region - std::min<std::uint64_t>(sizes.only(), region))),
      places(spec.distribution, std::max<std::uint64_t>(alignment.divide(region), 1),
             std::max<std::uint64_t>(alignment.divide(spec.cluster.value_or(0)), 1)) {}

Generator::Job::Job(const JobSpec& spec_of_job, std::uint64_t seed)
    : spec(&spec_of_job), random(seed), mixes(spec_of_job.mixes()), reads(spec_of_job.reads()),
      jumps(is_random(spec_of_job.pattern)), paced(spec_of_job.paced()),
      changes(changes_of(spec_of_job.pattern)), read_share(steps_of(spec_of_job.rwmixread)),
      jump_share(steps_of(spec_of_job.percentage_random)), read(spec_of_job, true),
      write(spec_of_job, false), left(spec_of_job.requests()),
      pieces((spec_of_job.size + JobSpec::kPieceBytes - 1) / JobSpec::kPieceBytes),
      zones(spec_of_job.zone_size == 0 ? 0 : write.region / spec_of_job.zone_size) {}

Generator::Generator(GeneratorSpec spec, std::uint64_t run_seed, Clock clock,
                     std::optional<std::size_t> only)
    : spec_(std::move(spec)), clock_(clock) {
    check(spec_);
    Random seeds(run_seed);
    jobs_.reserve(spec_.jobs.size());
    for (const JobSpec& job : spec_.jobs) {
        const std::uint64_t drawn = seeds.next();
        jobs_.emplace_back(job, job.seed.value_or(drawn));
        jobs_.back().arrival = job.startdelay;
        if (job.arrival == Arrival::kPoisson) {
            advance_arrival(jobs_.back());
        }
        if (only.value_or(jobs_.size() - 1) != jobs_.size() - 1) {
            jobs_.back().left = 0;
        }
        timed_ = timed_ || (clock != nullptr && job.runtime && !job.paced());
    }
    last_ = jobs_.size() - 1;
    waits_ = jobs_.size() > 1 && spec_.closed_loop();
}

bool Generator::next(HostRequest& request) {
    if (timed_) {
        end_by_time();
    }
    Job* chosen = choose();
    if (chosen == nullptr) {
        return false;
    }
    last_ = static_cast<std::size_t>(chosen - jobs_.data());
    ++made_;
    fill(*chosen, request);
    request.job = static_cast<std::uint32_t>(last_);
    ++chosen->outstanding;
    return true;
}

/// In a closed loop requests have no time of their own.
void Generator::end_by_time() {
    const TimePs now = clock_();
    for (Job& job : jobs_) {
        if (job.spec->runtime && !job.paced && now >= *job.spec->runtime) {
            job.left = 0;
        }
    }
}

/// The job whose next request arrives first; from the one after the last served, so that equal
/// arrivals go round.
Generator::Job* Generator::choose() {
    if (jobs_.size() == 1) {
        return jobs_.front().has_more() ? &jobs_.front() : nullptr;
    }
    Job* chosen = nullptr;
    std::size_t index = last_;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        index = index + 1 == jobs_.size() ? 0 : index + 1;
        Job& job = jobs_[index];
        const bool has_room = !waits_ || job.outstanding < job.spec->iodepth;
        if (job.has_more() && has_room && (chosen == nullptr || job.arrival < chosen->arrival)) {
            chosen = &job;
        }
    }
    return chosen;
}

/// Whether the next request continues the last, of `bytes` bytes then.
bool Generator::goes_on(Job& job, std::uint32_t& bytes) {
    if (job.jump_share >= kPercentSteps || !job.continues ||
        job.random.below(kPercentSteps) < job.jump_share) {
        return false;
    }
    Direction& direction = job.last_read ? job.read : job.write;
    bytes = direction.sizes.draw(job.random);
    if (bytes > direction.region || job.last_end > direction.region - bytes) {
        return false;
    }
    const std::uint64_t in_piece = job.last_end % JobSpec::kPieceBytes;
    return !job.spec->spread || in_piece + bytes <= JobSpec::kPieceBytes;
}

std::uint64_t Generator::random_place(Job& job, Direction& direction, std::uint32_t bytes) {
    std::uint64_t place = 0;
    if (job.spec->distribution.kind == Popularity::kUniform) {
        place = job.random.below(direction.last_place(bytes) + 1);
    } else {
        // The last places are too near the end for a large request: it is moved down.
        place = std::min(direction.places.draw(job.random), direction.last_place(bytes));
    }
    place *= direction.alignment.value();
    if (job.spec->spread && place % JobSpec::kPieceBytes + bytes > JobSpec::kPieceBytes) {
        place -= place % JobSpec::kPieceBytes + bytes - JobSpec::kPieceBytes;
    }
    return place;
}

std::uint64_t Generator::in_drive(const Job& job, std::uint64_t place) {
    if (!job.spec->spread) {
        return job.spec->offset + place;
    }
    const std::uint64_t slots = *job.spec->spread / JobSpec::kPieceBytes;
    const auto slot = static_cast<std::uint64_t>(
        static_cast<Uint128>(place / JobSpec::kPieceBytes) * slots / job.pieces);
    return job.spec->offset + slot * JobSpec::kPieceBytes + place % JobSpec::kPieceBytes;
}

void Generator::fill(Job& job, HostRequest& request) {
    const JobSpec& spec = *job.spec;
    request.arrival = job.arrival;
    request.zone = ZoneAction::kNone;
    if (job.holds) {
        job.holds = false;
        job.arrival = job.held_arrival;
        request = job.held;
        return;
    }
    if (spec.fsync > 0 && job.writes_since_flush == spec.fsync) {
        job.writes_since_flush = 0;
        request.offset = 0;
        request.bytes = 0;
        request.op = RequestOp::kFlush;
        request.fua = false;
        request.stream = 0;
        return;
    }
    bool read = job.reads;
    std::uint32_t bytes = 0;
    std::uint64_t place = 0;
    if (job.jumps && goes_on(job, bytes)) {
        read = job.last_read;
        place = job.last_end;
    } else {
        if (job.mixes) {
            read = job.random.below(kPercentSteps) < job.read_share;
        }
        Direction& direction = read ? job.read : job.write;
        bytes = direction.sizes.draw(job.random);
        if (job.jumps) {
            place = random_place(job, direction, bytes);
        } else {
            place = direction.following > direction.region - bytes ? 0 : direction.following;
            direction.following = place + bytes;
        }
    }
    job.continues = true;
    job.last_read = read;
    job.last_end = place + bytes;
    request.offset = in_drive(job, place);
    request.bytes = bytes;
    request.op = read ? RequestOp::kRead : job.changes;
    request.fua = spec.writefua && request.op == RequestOp::kWrite;
    request.stream = request.op == RequestOp::kWrite ? spec.stream : std::uint16_t{0};
    --job.left;
    ++job.made;
    job.bytes += bytes;
    job.writes_since_flush += request.op == RequestOp::kWrite ? 1 : 0;
    if (job.paced && job.left > 0) {
        advance_arrival(job);
        if (spec.runtime && job.arrival >= spec.startdelay + *spec.runtime) {
            job.left = 0;
        }
    }
    if (!job.zones.empty() && request.op == RequestOp::kWrite) {
        write_to_zone(job, request);
    }
}

void Generator::advance_arrival(Job& job) {
    const JobSpec& spec = *job.spec;
    Uint128 arrival = 0;
    if (spec.arrival == Arrival::kFixed) {
        // From the start each time, so that rounding does not add up.
        arrival = spec.rate_iops ? static_cast<Uint128>(job.made) * kSecond / *spec.rate_iops
                  : spec.rate    ? static_cast<Uint128>(job.bytes) * kSecond / *spec.rate
                                 : static_cast<Uint128>(job.made) * *spec.interarrival;
        arrival += spec.startdelay +
                   static_cast<Uint128>(job.made / spec.thinktime_blocks) * spec.thinktime;
    } else {
        const Uint128 variate = exponential(job.random);
        if (spec.rate_iops) {
            arrival = job.arrival + (variate * kSecond / *spec.rate_iops >> 64);
        } else {
            // A byte rate gives the gap of a mean request, so that gap and size are independent.
            const Uint128 gap = spec.rate
                                    ? static_cast<Uint128>(spec.mean_bytes()) * kSecond / *spec.rate
                                    : *spec.interarrival;
            arrival = job.arrival + ((variate >> 32) * gap >> 32);
        }
        if (job.made > 0 && job.made % spec.thinktime_blocks == 0) {
            arrival += spec.thinktime;
        }
    }
    if (arrival > kMaxArrival) {
        throw UserError(spec_.file, job.spec->line,
                        "job " + quote(job.spec->name) + " lasts longer than 106 days",
                        "a higher rate_iops or a smaller number_ios");
    }
    job.arrival = static_cast<TimePs>(arrival);
}

SourcePosition Generator::position() const {
    const std::size_t line = jobs_[last_].spec->line;
    return {spec_.file, line > 0 ? line : static_cast<std::size_t>(made_)};
}

} // namespace cavern
