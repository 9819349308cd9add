// Where the requests of fio's jobs go, and how large they are (io_u.c of fio 3.33).

#include <algorithm>

#include "workload/fio_source.h"

namespace cavern {
/// The place of the next request in the file; absent: there is none left in this pass.
std::optional<std::uint64_t> FioSource::place(Job& job, FioDirection direction, bool& random) {
    const FioJob& spec = *job.spec;
    const std::size_t index = index_of(direction);
    if (spec.zone_mode == FioZones::kStrided) {
        move_zone(job, direction);
    }
    random = false;
    if (!spec.random) {
        return following_place(job, direction);
    }
    const bool first = --job.in_sequence == 0;
    if (first) {
        job.in_sequence = spec.sequence_count;
        const double share = spec.percentage_random[index];
        random = share >= 100 || job.random.uniform() * 100 < share;
    } else if (spec.sequence_repeats) {
        return job.directions[index].begun ? job.directions[index].last_begin : job.file_offset;
    }
    const std::optional<std::uint64_t> next =
        random ? std::optional<std::uint64_t>() : following_place(job, direction);
    return next ? next : random_place(job, direction);
}

std::optional<std::uint64_t> FioSource::random_place(Job& job, FioDirection direction) {
    std::optional<std::uint64_t> block = drawn_place(job, direction);
    if (!block && job.spec->time_based && job.map) {
        job.map->clear();
        block = drawn_place(job, direction);
    }
    const std::uint64_t offset = block.value_or(0) * job.spec->alignment(direction);
    return block && offset < job.region.bytes ? std::optional(job.file_offset + offset)
                                              : std::nullopt;
}

/// A block of the direction's alignment. fio looks it up in the map by that number, and so does
/// this: with a single size, each block comes once.
std::optional<std::uint64_t> FioSource::drawn_place(Job& job, FioDirection direction) {
    RandomPlace& places = job.directions[index_of(direction)].places;
    const std::uint64_t block = places.draw(job.random);
    return !job.map || job.map->is_free(block) ? block : job.map->next_free(block);
}

/// Behind the last request of the direction, with what sequence_add leaves out. Where it would
/// begin behind the file, or before it, it goes round.
std::optional<std::uint64_t> FioSource::following_place(Job& job, FioDirection direction) {
    const FioJob& spec = *job.spec;
    std::uint64_t& last = job.directions[index_of(direction)].last_end;
    const std::uint64_t end = job.region.begin + job.region.bytes;
    const std::uint64_t whole = std::min(job.region.bytes, job.region.file);
    if (spec.time_based && last >= end) {
        last = job.file_offset;
    }
    if (last >= job.region.file) {
        return std::nullopt;
    }
    if (last == job.file_offset && job.file_offset != 0 && spec.sequence_add < 0) {
        last = whole; // fio leaves the offset out
    }
    std::uint64_t place = last - job.file_offset;
    if (place != 0 && spec.sequence_add != 0) {
        place += static_cast<std::uint64_t>(spec.sequence_add);
        if (place >= job.region.file) {
            place = spec.sequence_add > 0 ? job.file_offset
                                          : whole + static_cast<std::uint64_t>(spec.sequence_add);
        }
    }
    return job.file_offset + place < job.region.file ? std::optional(job.file_offset + place)
                                                     : std::nullopt;
}

/// zonemode=strided: after zonesize bytes the next zone begins, behind zonerange and zoneskip.
void FioSource::move_zone(Job& job, FioDirection direction) {
    const FioJob& spec = *job.spec;
    const std::uint64_t range = spec.zone_range != 0 ? spec.zone_range : spec.zone_size;
    std::uint64_t& last = job.directions[index_of(direction)].last_end;
    if (job.zone_bytes >= spec.zone_size) {
        job.zone_bytes = 0;
        job.file_offset += range + spec.zone_skip;
        if (job.file_offset >= job.region.file) {
            job.file_offset = job.region.begin;
        }
        last = job.file_offset;
    }
    if (last >= job.file_offset + range) {
        last = job.file_offset;
    }
    if (job.zone_bytes % range == 0) {
        last = job.file_offset;
        if (job.map) {
            job.map->clear();
        }
    }
}

/// 0: not even the least size fits there.
std::uint32_t FioSource::size_of(Job& job, FioDirection direction, std::uint64_t place) {
    const FioSizes& sizes = job.spec->sizes[index_of(direction)];
    const bool holed = job.spec->sequence_add != 0;
    const std::uint64_t end =
        holed ? job.region.file : std::max(job.region.begin, job.file_offset) + job.region.bytes;
    const auto fits = [&](std::uint64_t bytes) { return place + bytes <= end; };
    if (!fits(sizes.least)) {
        return 0;
    }
    for (std::uint32_t bytes = sizes.least; sizes.several();) {
        if (sizes.split.empty()) {
            const double drawn = static_cast<double>(sizes.most) * job.random.uniform();
            bytes = sizes.least + static_cast<std::uint32_t>(drawn);
        } else {
            const double drawn = job.random.uniform() * 100;
            double percent = 0;
            for (const SizeDistribution::Share& share : sizes.split) {
                if (share.percent == 0) {
                    continue;
                }
                bytes = share.bytes;
                percent += share.percent;
                if (drawn <= percent && fits(bytes)) {
                    break;
                }
            }
        }
        if (!job.spec->bs_unaligned) {
            bytes -= bytes % sizes.least;
        }
        bytes = std::min(bytes, sizes.most);
        if (fits(bytes)) {
            return bytes;
        }
    }
    return sizes.least;
}

/// Whether there is a request left in this pass.
bool FioSource::fill(Job& job, FioDirection direction, HostRequest& request) {
    const FioJob& spec = *job.spec;
    bool random = false;
    const std::optional<std::uint64_t> found = place(job, direction, random);
    const FioDirection sized =
        spec.bs_is_seq_rand ? (random ? FioDirection::kWrite : FioDirection::kRead) : direction;
    std::uint32_t bytes = found ? size_of(job, sized, *found) : 0;
    if (found && spec.trims_then_writes() && direction == FioDirection::kWrite) {
        const Direction& trims = job.directions[index_of(FioDirection::kTrim)];
        bytes =
            trims.last_end > *found ? static_cast<std::uint32_t>(trims.last_end - *found) : bytes;
    }
    if (bytes == 0) {
        return false;
    }
    if (random && job.map) {
        const std::uint32_t least = spec.sizes[index_of(sized)].least;
        const std::uint64_t free =
            job.map->take((*found - job.file_offset) / least, (bytes + least - 1) / least);
        bytes = std::min<std::uint32_t>(
            bytes, static_cast<std::uint32_t>(std::max<std::uint64_t>(free, 1) * least));
    }
    Direction& own = job.directions[index_of(direction)];
    own.begun = true;
    own.last_begin = *found;
    own.last_end = *found + bytes;
    request.offset = *found;
    request.bytes = bytes;
    request.op = direction == FioDirection::kRead    ? RequestOp::kRead
                 : direction == FioDirection::kWrite ? RequestOp::kWrite
                                                     : RequestOp::kTrim;
    request.fua = spec.fua && direction == FioDirection::kWrite;
    return true;
}

} // namespace cavern
