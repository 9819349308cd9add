#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "workload/random_place.h"
#include "workload/request_size.h"

namespace cavern {

/// fio's data directions; what a key says of each stands in this order, separated by commas.
enum class FioDirection : std::uint8_t { kRead, kWrite, kTrim };
inline constexpr FioDirection kFioDirections[] = {FioDirection::kRead, FioDirection::kWrite,
                                                  FioDirection::kTrim};
[[nodiscard]] constexpr std::size_t index_of(FioDirection direction) {
    return static_cast<std::size_t>(direction);
}
template <typename Value>
using FioByDirection = std::array<Value, 3>;

/// A place or length: bytes, or a part of the drive. `zones`: "4z".
struct FioLength {
    std::uint64_t bytes = 0;
    std::optional<double> percent;
    std::optional<std::uint64_t> zones;
};

/// Sizes of the requests of one direction: bssplit, or bsrange, or a single bs.
struct FioSizes {
    std::uint32_t least = 4096;
    std::uint32_t most = 4096;
    std::vector<SizeDistribution::Share> split; ///< empty: a range

    [[nodiscard]] bool several() const { return least != most; }
};

/// Which jobs end with one of an exitall.
enum class FioExit : std::uint8_t { kGroup, kStonewall, kAll };
enum class FioZones : std::uint8_t { kNone, kStrided, kZbd };

/// A job of fio 3.33 as its manual and its source describe it. The name of a member is that of its
/// key where nothing else is said.
struct FioJob {
    std::string name;
    std::size_t line = 0;
    // rw
    bool reads = false;
    bool writes = false;
    bool trims = false;
    bool random = false;
    std::int64_t sequence_add = 0;    ///< rw=write:4k: bytes left out behind each request
    std::uint32_t sequence_count = 1; ///< rw=randwrite:4: a random place for the first of so many
    bool sequence_repeats = false;    ///< rw_sequencer=identical

    double rwmixread = 50;
    FioByDirection<FioSizes> sizes;
    FioByDirection<std::uint32_t> align{}; ///< ba; 0: the least size
    bool bs_unaligned = false;
    bool bs_is_seq_rand = false;
    FioLength offset;
    FioLength offset_increment;
    std::optional<FioLength> size;
    std::optional<std::uint64_t> file_size; ///< filesize: the region, of which size is done
    std::optional<std::uint64_t> io_size;
    std::uint64_t number_ios = 0; ///< 0: no limit
    std::uint64_t loops = 1;
    bool time_based = false;
    std::optional<TimePs> runtime;
    TimePs ramp_time = 0;
    TimePs start_delay = 0;
    TimePs start_delay_most = 0; ///< startdelay=1-5; at least start_delay

    bool norandommap = false; ///< also where the places are not uniform
    FioByDirection<PlaceDistribution> distribution;
    FioByDirection<double> percentage_random{100, 100, 100};
    std::optional<std::uint64_t> seed;
    bool randrepeat = true; ///< each pass draws the same

    std::uint32_t iodepth = 1;                ///< 1 for an engine that is synchronous
    std::uint32_t iodepth_low = 0;            ///< 0: iodepth
    std::uint32_t iodepth_batch_complete = 1; ///< at least so many answers refill a full queue
    bool waits_for_flush = false;             ///< the engine does before it goes on
    bool waits_for_trim = false;
    bool offload = false; ///< io_submit_mode: what is under way need not end before a pause
    FioByDirection<std::uint64_t> rate{}; ///< bytes per second; 0: none
    FioByDirection<std::uint64_t> rate_iops{};
    bool poisson = false;
    TimePs thinktime = 0;
    TimePs thinktime_spin = 0;            ///< part of it, or more
    std::uint64_t thinktime_blocks = 0;   ///< 0: thinktime_iotime alone says when
    bool thinktime_counts_issued = false; ///< thinktime_blocks_type=issue
    TimePs thinktime_iotime = 0;
    bool rate_ignore_thinktime = false;

    std::uint64_t fsync = 0;
    bool end_fsync = false;
    bool fua = false; ///< sync, or writefua

    FioZones zone_mode = FioZones::kNone;
    std::uint64_t zone_size = 0;
    std::uint64_t zone_range = 0;
    std::uint64_t zone_skip = 0;

    std::uint32_t flow = 0; ///< weight; 0: in no flow
    std::uint32_t flow_id = 0;
    TimePs flow_sleep = 0;

    // Which jobs wait for which, as places in the list of jobs: it begins when the first `behind`
    // have ended, and those from awaits_first to awaits_end.
    std::size_t behind = 0;
    std::size_t awaits_first = 0;
    std::size_t awaits_end = 0;
    std::uint32_t group = 0; ///< by stonewall and new_group
    FioExit exit_what = FioExit::kGroup;

    [[nodiscard]] bool mixes() const { return reads && writes; }
    [[nodiscard]] bool does(FioDirection direction) const {
        return direction == FioDirection::kRead    ? reads
               : direction == FioDirection::kWrite ? writes
                                                   : trims;
    }
    /// Of rw=trimwrite: each block is trimmed, then written.
    [[nodiscard]] bool trims_then_writes() const { return trims && writes; }
    /// Of all directions, also those that it does not do.
    [[nodiscard]] std::uint32_t least_size() const;
    [[nodiscard]] std::uint32_t most_size() const;
    [[nodiscard]] std::uint32_t alignment(FioDirection direction) const;
    /// Whether time passes between its requests, also where they are answered at once.
    [[nodiscard]] bool paced() const;
};

struct FioJobs {
    std::string file;
    std::vector<FioJob> jobs;
    bool exitall = false;
    /// On what the file asks for and does not get, a sentence each.
    std::vector<std::string> notes;

    [[nodiscard]] TimePs ramp() const;           ///< the longest of all
    [[nodiscard]] std::uint32_t iodepth() const; ///< sum
    /// A job that only time ends; null: none.
    [[nodiscard]] const FioJob* endless() const;
};

/// Where a job of fio works on a drive: what fio knows of the file.
struct FioRegion {
    std::uint64_t begin = 0; ///< of the file, in the drive
    std::uint64_t bytes = 0; ///< requests begin in so many (fio's io_size of a file)
    std::uint64_t file = 0;  ///< size of the file, from the front of the drive on
    std::uint64_t limit = 0; ///< bytes after which the job ends, times its loops
};

/// Throws UserError naming the job where it does not fit on a drive of `capacity` bytes. `folds`:
/// what lies beyond the drive is folded into it.
[[nodiscard]] FioRegion fio_region(const FioJobs& jobs, const FioJob& job, std::uint64_t capacity,
                                   bool folds);

} // namespace cavern
