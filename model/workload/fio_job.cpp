#include "workload/fio_job.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/sectors.h"
#include "workload/field.h"
#include "workload/fio_values.h"

namespace cavern {
namespace {

/// Of a file of so many bytes.
std::uint64_t bytes_of(const FioLength& length, std::uint64_t file, std::uint64_t zone) {
    return length.percent
               ? static_cast<std::uint64_t>(static_cast<long double>(file) *
                                            static_cast<long double>(*length.percent) / 100)
           : length.zones ? *length.zones * zone
                          : length.bytes;
}

} // namespace

std::uint32_t FioJob::least_size() const {
    return std::min({sizes[0].least, sizes[1].least, sizes[2].least});
}

std::uint32_t FioJob::most_size() const {
    return std::max({sizes[0].most, sizes[1].most, sizes[2].most});
}

std::uint32_t FioJob::alignment(FioDirection direction) const {
    const auto index = index_of(direction);
    return align[index] != 0 ? align[index] : sizes[index].least;
}

bool FioJob::paced() const {
    for (const FioDirection direction : kFioDirections) {
        const auto index = index_of(direction);
        if (does(direction) && rate[index] == 0 && rate_iops[index] == 0 && thinktime == 0) {
            return false;
        }
    }
    return true;
}

TimePs FioJobs::ramp() const {
    TimePs most = 0;
    for (const FioJob& job : jobs) {
        most = std::max(most, job.ramp_time);
    }
    return most;
}

std::uint32_t FioJobs::iodepth() const {
    std::uint32_t sum = 0;
    for (const FioJob& job : jobs) {
        sum += job.iodepth;
    }
    return sum;
}

const FioJob* FioJobs::endless() const {
    const auto job =
        std::find_if(jobs.begin(), jobs.end(), [](const FioJob& one) { return one.time_based; });
    return job == jobs.end() ? nullptr : &*job;
}

FioRegion fio_region(const FioJobs& jobs, const FioJob& job, std::uint64_t capacity, bool folds) {
    const auto fail = [&](const std::string& what, const std::string& right) {
        throw UserError(jobs.file, job.line, "job " + quote(job.name) + " " + what, right);
    };
    const std::string drive = "the drive has " + std::to_string(capacity) + " bytes";
    FioRegion region;
    region.file = job.file_size.value_or(capacity);
    if (region.file > capacity && !folds) {
        fail("has a filesize beyond the drive", drive);
    }
    const std::uint32_t least = job.least_size();
    region.begin = bytes_of(job.offset, region.file, job.zone_size);
    if (job.offset.percent) {
        region.begin -= region.begin % least;
    }
    region.begin += bytes_of(job.offset_increment, region.file, job.zone_size);
    if (folds && !job.file_size && job.size && !job.size->percent) {
        region.file = std::max(region.file, region.begin + bytes_of(*job.size, 0, job.zone_size));
    }
    if (region.begin >= region.file) {
        fail("begins at byte " + std::to_string(region.begin) + ", beyond the drive", drive);
    }
    const std::uint64_t behind = region.file - region.begin;
    std::uint64_t size = behind;
    if (job.size) {
        size = bytes_of(*job.size, region.file, job.zone_size);
        if (job.size->percent) {
            size = std::min(size, behind);
            size -= size % least;
        }
        if (size > behind && job.file_size) {
            size = behind; // a smaller file ends the job, as a file does
        }
    }
    region.bytes = job.file_size ? behind : size;
    if (job.zone_mode == FioZones::kZbd) {
        region.bytes -= region.bytes % job.zone_size;
    }
    region.limit = job.io_size.value_or(size);
    if (region.bytes > behind) {
        fail("ends at byte " + std::to_string(region.begin + region.bytes) + ", beyond the drive",
             drive + "; workload.out_of_range = \"wrap\" folds the rest into it");
    }
    if (region.bytes < job.most_size()) {
        fail("has a region smaller than one block", "size is at least bs");
    }
    if (region.begin % kSectorBytes != 0 || region.bytes % kSectorBytes != 0) {
        fail("has an offset or size that is no multiple of 512 bytes", "sizes are such as 1g");
    }
    if (job.zone_mode == FioZones::kZbd && job.writes &&
        (region.begin % job.zone_size != 0 || region.bytes == 0)) {
        fail("has a region that is not made of its zones",
             "offset and size are multiples of zonesize");
    }
    return region;
}

} // namespace cavern
