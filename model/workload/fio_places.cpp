#include "workload/fio_places.h"

#include <algorithm>

#include "workload/zone_writes.h"

namespace cavern {
namespace {

/// What places are drawn from: the region, or with strided zones one of them.
std::uint64_t drawn_from(const FioJob& job, const FioRegion& on) {
    return job.zone_mode == FioZones::kStrided ? job.zone_range : on.bytes;
}

/// Blocks of a direction's alignment that a place is drawn from. Of popular ones the last may be a
/// part of a block: where the file has no more of it, the pass ends there.
std::uint64_t blocks_of(const FioJob& job, const FioRegion& on, FioDirection direction) {
    const Popularity kind = job.distribution[index_of(direction)].kind;
    if (kind == Popularity::kZipf || kind == Popularity::kPareto) {
        const std::uint32_t block = std::min(job.sizes[index_of(FioDirection::kRead)].least,
                                             job.sizes[index_of(FioDirection::kWrite)].least);
        return (on.bytes + block - 1) / block;
    }
    const std::uint32_t least = job.sizes[index_of(direction)].least;
    const std::uint32_t align = job.alignment(direction);
    const std::uint64_t bytes = drawn_from(job, on);
    const std::uint64_t left_out = least > align ? least - align : 0;
    return std::max<std::uint64_t>((bytes - std::min(bytes, left_out)) / align, 1);
}

bool has_map(const FioJob& job) {
    return job.random && !job.norandommap && job.zone_mode != FioZones::kZbd &&
           std::all_of(job.distribution.begin(), job.distribution.end(),
                       [](const auto& one) { return one.kind == Popularity::kUniform; });
}

/// Of bssplit one of its sizes that fits there, if one does; else a size of bsrange.
template <typename Fits>
std::uint32_t drawn_size(const FioSizes& sizes, Random& random, Fits fits) {
    if (sizes.split.empty()) {
        return sizes.least +
               static_cast<std::uint32_t>(static_cast<double>(sizes.most) * random.uniform());
    }
    const double drawn = random.uniform() * 100;
    double percent = 0;
    std::uint32_t bytes = sizes.least;
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
    return bytes;
}

} // namespace

FioPlaces::FioPlaces(const FioJob& job, const FioRegion& on)
    : job_(job), on_(on), front_(on.begin) {
    last_.fill({on.begin, std::nullopt});
    for (const FioDirection direction : kFioDirections) {
        distributions_.emplace_back(job.distribution[index_of(direction)],
                                    blocks_of(job, on, direction));
    }
    if (has_map(job)) {
        map_.emplace(std::max<std::uint64_t>(drawn_from(job, on) / job.least_size(), 1));
    }
    if (job.zone_mode == FioZones::kZbd && job.writes) {
        zones_.resize(on.bytes / job.zone_size);
    }
}

bool FioPlaces::fill(FioDirection direction, Random& random, HostRequest& request) {
    const std::optional<Place> found = place(direction, random);
    if (!found || found->offset - front_ >= on_.bytes) {
        return false;
    }
    const FioDirection in_order =
        found->random ? FioDirection::kWrite : FioDirection::kRead; // as bs_is_seq_rand has them
    const FioDirection sized = job_.bs_is_seq_rand ? in_order : direction;
    std::uint32_t bytes = size(sized, found->offset, random);
    const std::uint64_t trimmed = of(FioDirection::kTrim).end;
    if (job_.trims_then_writes() && direction == FioDirection::kWrite && trimmed > found->offset) {
        bytes = static_cast<std::uint32_t>(trimmed - found->offset);
    }
    if (bytes == 0 || found->offset + bytes > on_.file) {
        return false;
    }
    if (found->random && map_) {
        const std::uint32_t least = job_.sizes[index_of(sized)].least;
        const std::uint64_t free =
            map_->take((found->offset - front_) / least, (bytes + least - 1) / least);
        bytes = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(bytes, std::max<std::uint64_t>(free, 1) * least));
    }
    of(direction) = {found->offset + bytes, found->offset};
    zone_bytes_ += bytes;
    request.offset = found->offset;
    request.bytes = bytes;
    request.op = direction == FioDirection::kRead    ? RequestOp::kRead
                 : direction == FioDirection::kWrite ? RequestOp::kWrite
                                                     : RequestOp::kTrim;
    request.fua = job_.fua && direction == FioDirection::kWrite;
    request.zone = ZoneAction::kNone;
    return true;
}

void FioPlaces::begin_pass() {
    zone_bytes_ = 0;
    last_.fill({front_, std::nullopt});
    if (map_) {
        map_->clear();
    }
}

std::optional<HostRequest> FioPlaces::to_zone(HostRequest& write) {
    if (zones_.empty()) {
        return std::nullopt;
    }
    Last& last = of(FioDirection::kWrite);
    std::uint64_t following = last.end - on_.begin;
    const ZoneLayout layout{on_.begin, job_.zone_size, job_.zone_size, false};
    std::optional<HostRequest> reset =
        place_in_zone(layout, !job_.random, zones_, following, write);
    last.end = on_.begin + following;
    return reset;
}

std::optional<FioPlaces::Place> FioPlaces::place(FioDirection direction, Random& random) {
    if (job_.zone_mode == FioZones::kStrided) {
        move_zone(direction);
    }
    bool jumps = job_.random;
    if (jumps && --in_sequence_ == 0) {
        in_sequence_ = job_.sequence_count;
        const double share = job_.percentage_random[index_of(direction)];
        jumps = share >= 100 || random.uniform() * 100 < share;
    } else if (jumps && job_.sequence_repeats) {
        return Place{of(direction).begin.value_or(front_)};
    } else {
        jumps = false;
    }
    if (!jumps) {
        const std::optional<std::uint64_t> next = following(direction);
        if (next || !job_.random) {
            return next ? std::optional(Place{*next}) : std::nullopt;
        }
    }
    const std::optional<std::uint64_t> offset = drawn(direction, random);
    return offset ? std::optional(Place{*offset, jumps}) : std::nullopt;
}

std::optional<std::uint64_t> FioPlaces::drawn(FioDirection direction, Random& random) {
    std::optional<std::uint64_t> block = free_block(direction, random);
    if (!block && job_.time_based) {
        map_->clear();
        block = free_block(direction, random);
    }
    return block ? std::optional(front_ + *block * job_.alignment(direction)) : std::nullopt;
}

/// A block of the direction's alignment. fio looks it up in the map by that number, and so does
/// this: with a single size, each block comes once.
std::optional<std::uint64_t> FioPlaces::free_block(FioDirection direction, Random& random) {
    const std::uint64_t block = distributions_[index_of(direction)].draw(random);
    return !map_ || map_->is_free(block) ? block : map_->next_free(block);
}

/// Behind the last request of the direction, with what sequence_add leaves out. Where it would
/// begin behind the file, or before it, it goes round.
std::optional<std::uint64_t> FioPlaces::following(FioDirection direction) {
    std::uint64_t& last = of(direction).end;
    if (job_.time_based && last >= on_.begin + on_.bytes) {
        last = front_;
    }
    if (last >= on_.file) {
        return std::nullopt;
    }
    if (last == front_ && front_ != 0 && job_.sequence_add < 0) {
        last = on_.bytes; // fio leaves the offset out
    }
    std::uint64_t place = last - front_;
    if (place != 0 && job_.sequence_add != 0) {
        place += static_cast<std::uint64_t>(job_.sequence_add);
        if (place >= on_.file) {
            place = job_.sequence_add > 0
                        ? front_
                        : on_.bytes + static_cast<std::uint64_t>(job_.sequence_add);
        }
    }
    return front_ + place < on_.file ? std::optional(front_ + place) : std::nullopt;
}

/// zonemode=strided: after zonesize bytes the next zone begins, behind zonerange and zoneskip.
void FioPlaces::move_zone(FioDirection direction) {
    std::uint64_t& last = of(direction).end;
    if (zone_bytes_ >= job_.zone_size) {
        zone_bytes_ = 0;
        front_ += job_.zone_range + job_.zone_skip;
        if (front_ >= on_.file) {
            front_ = on_.begin;
        }
    }
    if (zone_bytes_ % job_.zone_range == 0) {
        last_.fill({front_, std::nullopt});
        if (map_) {
            map_->clear();
        }
    } else if (last >= front_ + job_.zone_range) {
        last = front_;
    }
}

/// 0: not even the least of several sizes fits there.
std::uint32_t FioPlaces::size(FioDirection direction, std::uint64_t place, Random& random) const {
    const FioSizes& sizes = job_.sizes[index_of(direction)];
    if (!sizes.several()) {
        return sizes.least;
    }
    const auto fits = [&](std::uint64_t bytes) { return place + bytes <= on_.begin + on_.bytes; };
    while (fits(sizes.least)) {
        std::uint32_t bytes = drawn_size(sizes, random, fits);
        bytes = std::min(job_.bs_unaligned ? bytes : bytes - bytes % sizes.least, sizes.most);
        if (fits(bytes)) {
            return bytes;
        }
    }
    return 0;
}

} // namespace cavern
