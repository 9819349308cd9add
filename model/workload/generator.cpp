#include "workload/generator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/wide.h"
#include "workload/field.h"
#include "workload/zone_writes.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxEnd = std::numeric_limits<std::int64_t>::max();
/// Percentages are drawn in steps of 10^-6 percent.
constexpr double kPercentUnit = 1e6;
constexpr std::uint64_t kPercentSteps = 100'000'000;

constexpr TimePs kMaxArrival = std::numeric_limits<std::int64_t>::max();

std::uint64_t steps_of(double percent) {
    return static_cast<std::uint64_t>(percent * kPercentUnit);
}

bool is_mix(Pattern pattern) {
    return pattern == Pattern::kRw || pattern == Pattern::kRandRw;
}

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

/// Region, cut to whole blocks.
std::uint64_t usable(std::uint64_t region, std::uint64_t alignment) {
    return region / alignment * alignment;
}

void check_sizes(const JobSpec& job, bool read, const std::string& file) {
    const SizeDistribution sizes = job.sizes(read);
    const auto require = [&](bool good, const char* what, const char* right) {
        if (!good) {
            throw UserError(file, job.line, "job " + quote(job.name) + " " + what, right);
        }
    };
    double percent = 0;
    for (const SizeDistribution::Share& share : sizes.shares) {
        require(share.bytes >= kSectorBytes && share.bytes % kSectorBytes == 0,
                "has a bs that is no multiple of 512 bytes", "bs is such as \"4KiB\"");
        percent += share.percent;
    }
    if (sizes.mean > 0) {
        require(sizes.unit >= kSectorBytes && sizes.unit % kSectorBytes == 0,
                "has a bs that is no multiple of 512 bytes", "bs is such as \"4KiB\"");
        require(sizes.mean >= sizes.unit && sizes.mean <= 16 * kMiB,
                "has a bs_mean below its bs or above 16MiB",
                "bs is the unit of the sizes, bs_mean their mean");
    } else {
        require(percent > 99.99 && percent < 100.01, "has a bssplit that is not 100 percent",
                "the shares add up to 100");
    }
    require(job.region(read) <= job.size, "has a read_size or write_size beyond its size",
            "they are parts of the region");
    require(usable(job.region(read), sizes.alignment()) >= sizes.largest(),
            "has a region smaller than one block",
            "size is at least bs, and with bs_mean 16 times that");
    require(!job.cluster ||
                (*job.cluster >= sizes.alignment() && *job.cluster % sizes.alignment() == 0 &&
                 *job.cluster <= job.region(read)),
            "has a cluster that is no multiple of its bs, or larger than its region",
            "cluster is such as \"128KiB\"");
    require(!job.spread || (sizes.largest() <= JobSpec::kPieceBytes &&
                            job.region(read) >= JobSpec::kPieceBytes),
            "has a spread, but requests or a region that do not fit",
            "requests are at most 4MiB then, and the region at least that");
}

void check_job(const JobSpec& job, const std::string& file) {
    const auto require = [&](bool good, const char* what, const char* right) {
        if (!good) {
            throw UserError(file, job.line, "job " + quote(job.name) + " " + what, right);
        }
    };
    require(job.offset % kSectorBytes == 0, "has an offset that is no multiple of 512 bytes",
            "offset is such as \"1GiB\"");
    if (job.reads()) {
        check_sizes(job, true, file);
    }
    if (job.writes()) {
        check_sizes(job, false, file);
    }
    require(job.size <= kMaxEnd && job.offset <= kMaxEnd - job.size, "ends beyond byte 2^63",
            "offset + size stays below that");
    require(!job.spread || (*job.spread >= job.size && *job.spread <= kMaxEnd - job.offset),
            "has a spread smaller than its size", "the region is spread over that many bytes");
    require(!job.cluster || job.distribution.kind == Popularity::kZipf ||
                job.distribution.kind == Popularity::kPareto,
            "has a cluster, but a random_distribution without popular places",
            "cluster goes with zipf or pareto");
    require(!job.cluster || !job.spread || JobSpec::kPieceBytes % *job.cluster == 0,
            "has a cluster that does not fit into the pieces of its spread",
            "cluster is a power of two up to 4MiB there");
    check_zones(job, file);
    require(job.rwmixread >= 0 && job.rwmixread <= 100, "has an rwmixread above 100",
            "rwmixread is a percentage");
    require(job.percentage_random >= 0 && job.percentage_random <= 100,
            "has a percentage_random above 100", "it is a percentage");
    require(job.requests() > 0, "has number_ios = 0", "number_ios is at least 1");
    require(job.iodepth > 0, "has iodepth = 0", "iodepth is at least 1");
    require(job.thinktime_blocks > 0, "has thinktime_blocks = 0", "it is at least 1");
    require(!job.rate_iops || (*job.rate_iops > 0 && *job.rate_iops <= kSecond),
            "has a rate_iops that is no rate", "rate_iops is from 1 to 10^12 requests a second");
    require(!job.rate || *job.rate > 0, "has a rate of 0", "rate is in bytes a second");
    require(!job.interarrival || *job.interarrival > 0, "has an interarrival of 0",
            "it is the mean time between requests");
    require((job.rate_iops ? 1 : 0) + (job.rate ? 1 : 0) + (job.interarrival ? 1 : 0) <= 1,
            "has more than one of rate_iops, rate and interarrival", "one of them sets the pace");
    require(job.paced() || job.arrival == Arrival::kFixed,
            "has arrival = \"poisson\" without rate_iops", "rate_iops gives the mean rate");
    require(job.paced() || (job.thinktime == 0 && job.startdelay == 0 && !job.runtime),
            "has a thinktime, startdelay or runtime but no pace of its own",
            "they go with rate_iops, rate or interarrival");
}

} // namespace

bool JobSpec::reads() const {
    return is_mix(pattern) || pattern == Pattern::kRead || pattern == Pattern::kRandRead;
}

bool JobSpec::writes() const {
    return is_mix(pattern) || !reads();
}

double JobSpec::mean_bytes() const {
    const double share = is_mix(pattern) ? rwmixread / 100 : reads() ? 1 : 0;
    return share * sizes(true).mean_bytes() + (1 - share) * sizes(false).mean_bytes();
}

std::uint64_t JobSpec::requests() const {
    if (number_ios) {
        return *number_ios;
    }
    const double mean = mean_bytes();
    return mean < 1 ? 0
                    : std::max<std::uint64_t>(
                          static_cast<std::uint64_t>(static_cast<long double>(size) / mean), 1);
}

std::uint64_t JobSpec::end() const {
    std::uint64_t used = 0;
    for (const bool read : {true, false}) {
        if (read ? reads() : writes()) {
            used = std::max(used, usable(region(read), sizes(read).alignment()));
        }
    }
    return offset + spread.value_or(used);
}

std::uint64_t GeneratorSpec::requests() const {
    std::uint64_t sum = 0;
    for (const JobSpec& job : jobs) {
        sum += job.requests();
    }
    return sum;
}

std::uint64_t GeneratorSpec::end() const {
    std::uint64_t end = 0;
    for (const JobSpec& job : jobs) {
        end = std::max(end, job.end());
    }
    return end;
}

bool GeneratorSpec::closed_loop() const {
    return std::none_of(jobs.begin(), jobs.end(), [](const JobSpec& job) { return job.paced(); });
}

std::uint32_t GeneratorSpec::iodepth() const {
    std::uint32_t sum = 0;
    for (const JobSpec& job : jobs) {
        sum += job.iodepth;
    }
    return sum;
}

void check(const GeneratorSpec& spec) {
    if (spec.jobs.empty()) {
        throw UserError(spec.file, 1, "the workload has no job", "add a table [[job]]");
    }
    const bool closed = spec.closed_loop();
    for (const JobSpec& job : spec.jobs) {
        check_job(job, spec.file);
        if (!closed && !job.paced()) {
            throw UserError(spec.file, job.line,
                            "job " + quote(job.name) + " has no rate_iops but another job has",
                            "either every job has a rate or none");
        }
    }
}

void require_within(const GeneratorSpec& spec, std::uint64_t capacity) {
    for (const JobSpec& job : spec.jobs) {
        if (job.end() > capacity) {
            throw UserError(spec.file, job.line,
                            "job " + quote(job.name) + " ends at byte " +
                                std::to_string(job.end()) + ", beyond the drive",
                            "the drive has " + std::to_string(capacity) +
                                " bytes; workload.out_of_range = \"wrap\" folds the rest into it");
        }
    }
}

Generator::Direction::Direction(const JobSpec& spec, bool read)
    : sizes(spec.sizes(read)), alignment(spec.sizes(read).alignment()),
      region(usable(spec.region(read), alignment.value())),
      places(spec.distribution, std::max<std::uint64_t>(alignment.divide(region), 1),
             std::max<std::uint64_t>(alignment.divide(spec.cluster.value_or(0)), 1)) {}

Generator::Job::Job(const JobSpec& spec_of_job, std::uint64_t seed)
    : spec(&spec_of_job), random(seed), mixes(is_mix(spec_of_job.pattern)),
      reads(spec_of_job.reads()), jumps(is_random(spec_of_job.pattern)), paced(spec_of_job.paced()),
      changes(changes_of(spec_of_job.pattern)), read_share(steps_of(spec_of_job.rwmixread)),
      jump_share(steps_of(spec_of_job.percentage_random)), read(spec_of_job, true),
      write(spec_of_job, false), left(spec_of_job.requests()),
      pieces((spec_of_job.size + JobSpec::kPieceBytes - 1) / JobSpec::kPieceBytes),
      zones(spec_of_job.zone_size == 0 ? 0 : write.region / spec_of_job.zone_size) {}

Generator::Generator(GeneratorSpec spec, std::uint64_t run_seed) : spec_(std::move(spec)) {
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
    }
    last_ = jobs_.size() - 1;
    waits_ = has_jobs();
}

bool Generator::next(HostRequest& request) {
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
        place = job.random.below(direction.alignment.divide(direction.region - bytes) + 1);
    } else {
        // The last places are too near the end for a large request: it is moved down.
        place = std::min(direction.places.draw(job.random),
                         direction.alignment.divide(direction.region - bytes));
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
            // Of a byte rate the gap of a mean request, so that gap and size are independent.
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
