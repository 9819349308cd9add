#include "workload/generator.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "workload/field.h"
#include "workload/zone_writes.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMaxEnd = std::numeric_limits<std::int64_t>::max();

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
    require(job.whole_region(read) >= sizes.largest(), "has a region smaller than one block",
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
    require(job.paced() || (job.thinktime == 0 && job.startdelay == 0),
            "has a thinktime or startdelay but no pace of its own",
            "they go with rate_iops, rate or interarrival");
}

} // namespace

bool JobSpec::mixes() const {
    return pattern == Pattern::kRw || pattern == Pattern::kRandRw;
}

bool JobSpec::reads() const {
    return mixes() || pattern == Pattern::kRead || pattern == Pattern::kRandRead;
}

bool JobSpec::writes() const {
    return mixes() || !reads();
}

double JobSpec::mean_bytes() const {
    const double share = mixes() ? rwmixread / 100 : reads() ? 1 : 0;
    return share * sizes(true).mean_bytes() + (1 - share) * sizes(false).mean_bytes();
}

std::uint64_t JobSpec::requests() const {
    const double mean = mean_bytes();
    const std::uint64_t once =
        number_ios ? *number_ios
        : mean < 1 ? 0
                   : std::max<std::uint64_t>(
                         static_cast<std::uint64_t>(static_cast<long double>(size) / mean), 1);
    return std::min(once, kMaxEnd);
}

std::uint64_t JobSpec::end() const {
    std::uint64_t used = 0;
    for (const bool read : {true, false}) {
        if (read ? reads() : writes()) {
            used = std::max(used, whole_region(read));
        }
    }
    return offset + spread.value_or(used);
}

std::uint64_t GeneratorSpec::requests() const {
    std::uint64_t sum = 0;
    for (const JobSpec& job : jobs) {
        sum = std::min(sum + job.requests(), kMaxEnd);
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

} // namespace cavern
