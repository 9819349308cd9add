#include "core/workload/generator.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/wide.h"
#include "core/workload/field.h"

namespace cavern {
namespace {

constexpr std::uint64_t kSectorBytes = 512;
constexpr std::uint64_t kMaxEnd = std::numeric_limits<std::int64_t>::max();
constexpr TimePs kMaxArrival = std::numeric_limits<std::int64_t>::max();

bool is_mix(Pattern pattern) {
    return pattern == Pattern::kRw || pattern == Pattern::kRandRw;
}

bool is_random(Pattern pattern) {
    return pattern == Pattern::kRandRead || pattern == Pattern::kRandWrite ||
           pattern == Pattern::kRandRw;
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

void check_job(const JobSpec& job, const std::string& file) {
    const auto require = [&](bool good, const char* what, const char* right) {
        if (!good) {
            throw UserError(file, job.line, "job " + quote(job.name) + " " + what, right);
        }
    };
    require(job.block_bytes >= kSectorBytes && job.block_bytes % kSectorBytes == 0,
            "has a bs that is no multiple of 512 bytes", "bs is such as \"4KiB\"");
    require(job.offset % kSectorBytes == 0, "has an offset that is no multiple of 512 bytes",
            "offset is such as \"1GiB\"");
    require(job.size >= job.block_bytes, "has a region smaller than one block",
            "size is at least bs");
    require(job.size <= kMaxEnd && job.offset <= kMaxEnd - job.size, "ends beyond byte 2^63",
            "offset + size stays below that");
    require(job.rwmixread <= 100, "has an rwmixread above 100", "rwmixread is a percentage");
    require(job.requests() > 0, "has number_ios = 0", "number_ios is at least 1");
    require(job.iodepth > 0, "has iodepth = 0", "iodepth is at least 1");
    require(!job.rate_iops || (*job.rate_iops > 0 && *job.rate_iops <= kSecond),
            "has a rate_iops that is no rate", "rate_iops is from 1 to 10^12 requests a second");
    require(job.rate_iops || job.arrival == Arrival::kFixed,
            "has arrival = \"poisson\" without rate_iops", "rate_iops gives the mean rate");
}

} // namespace

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
    return std::none_of(jobs.begin(), jobs.end(),
                        [](const JobSpec& job) { return job.rate_iops.has_value(); });
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
        if (!closed && !job.rate_iops) {
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

Generator::Generator(GeneratorSpec spec, std::uint64_t run_seed) : spec_(std::move(spec)) {
    check(spec_);
    Random seeds(run_seed);
    for (const JobSpec& job : spec_.jobs) {
        const std::uint64_t drawn = seeds.next();
        jobs_.push_back(
            {&job, Random(job.seed.value_or(drawn)), job.size / job.block_bytes, job.requests()});
        if (job.arrival == Arrival::kPoisson) {
            advance_arrival(jobs_.back());
        }
    }
    last_ = jobs_.size() - 1;
}

bool Generator::next(HostRequest& request) {
    // From the job after the last one served, so that equal arrivals go round.
    Job* chosen = nullptr;
    std::size_t index = last_;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        index = index + 1 == jobs_.size() ? 0 : index + 1;
        Job& job = jobs_[index];
        if (job.left > 0 && (chosen == nullptr || job.arrival < chosen->arrival)) {
            chosen = &job;
        }
    }
    if (chosen == nullptr) {
        return false;
    }
    last_ = static_cast<std::size_t>(chosen - jobs_.data());
    ++made_;
    fill(*chosen, request);
    return true;
}

void Generator::fill(Job& job, HostRequest& request) {
    const JobSpec& spec = *job.spec;
    bool read = spec.pattern == Pattern::kRead || spec.pattern == Pattern::kRandRead;
    if (is_mix(spec.pattern)) {
        read = job.random.below(100) < spec.rwmixread;
    }
    std::uint64_t block = 0;
    if (is_random(spec.pattern)) {
        block = job.random.below(job.blocks);
    } else {
        std::uint64_t& following = read ? job.read_block : job.write_block;
        block = following;
        following = block + 1 == job.blocks ? 0 : block + 1;
    }
    request.arrival = job.arrival;
    request.offset = spec.offset + block * spec.block_bytes;
    request.bytes = spec.block_bytes;
    request.op = read ? RequestOp::kRead : RequestOp::kWrite;
    --job.left;
    ++job.made;
    if (spec.rate_iops && job.left > 0) {
        advance_arrival(job);
    }
}

void Generator::advance_arrival(Job& job) {
    const std::uint64_t rate = *job.spec->rate_iops;
    Uint128 arrival = 0;
    if (job.spec->arrival == Arrival::kFixed) {
        // From the start each time, so that rounding does not add up.
        arrival = static_cast<Uint128>(job.made) * kSecond / rate;
    } else {
        arrival = job.arrival + (exponential(job.random) * kSecond / rate >> 64);
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
