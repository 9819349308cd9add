#include "core/ftl/fast.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

/// What a full drive leaves beside the sequential log block and one to merge into.
std::uint32_t most_logs(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t used =
        data_blocks(geometry, params.overprovision) + 2 + (params.recovers ? 1 : 0);
    return used < geometry.blocks() ? static_cast<std::uint32_t>(geometry.blocks() - used) : 0;
}

} // namespace

Fast::Fast(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : MixedLogFtl(geometry, params, {1, most_logs(geometry, params), false}, log),
      eager_switch_(params.eager_switch), limit_(fast_random_logs(params)),
      map_bytes_(map_bytes(limit_, geometry.pages_per_block)) {
    CAVERN_CHECK(!fast_why_not(geometry, params), "the drive cannot hold its log blocks");
    parts_.map_cache = this;
}

/// SHIM III-E: what more log blocks would have kept is asked for by writes.
void Fast::note_write(Lpn lpn) {
    const bool hit = is_logged(lpn);
    ++(hit ? logged_.write_hits : logged_.write_misses);
    if (!hit && listener_ != nullptr) {
        listener_->on_map_miss(lpn, true);
    }
}

void Fast::put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) {
    if (origin == Origin::kHost) {
        note_write(lpn);
    }
    if (put_in_place(lpn, target, origin, ops)) {
        return;
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    std::uint32_t log = sequential().least_recent(0);
    if (log != kNone && is_complete(log) && (offset == 0 || sequential().unit(log) == unit)) {
        close_sequential(log, {}, ops); // a switch that was put off
        log = kNone;
    }
    const bool owns = log != kNone && sequential().unit(log) == unit;
    if (offset == 0) {
        if (log != kNone) {
            close_sequential(log, {}, ops);
        }
        log = open_sequential(unit, target);
        put_in_sequential(log, lpn, origin, ops);
    } else if (!owns) {
        put_in_newest(lpn, origin, ops);
        return;
    } else if (offset < next_in_sequential(log)) {
        merge_fully(unit, {offset, origin}, ops);
        return;
    } else if (offset > next_in_sequential(log)) {
        close_sequential(log, {offset, origin}, ops);
        return;
    } else {
        put_in_sequential(log, lpn, origin, ops);
    }
    if (eager_switch_ && is_complete(log)) {
        close_sequential(log, {}, ops);
    }
}

// The cases of put(), in its order.
std::optional<DieId> Fast::destination(Lpn lpn, std::optional<DieId> target) const {
    if (fits_in_place(lpn)) {
        return die_in_place(lpn, target);
    }
    const Unit unit = unit_of(lpn);
    const std::uint32_t offset = offset_of(lpn);
    const std::uint32_t log = sequential().least_recent(0);
    const bool owns = log != kNone && sequential().unit(log) == unit;
    if (owns && (is_complete(log) || offset == 0)) {
        return std::nullopt; // a merge comes first, which may give the block another place
    }
    if (offset == 0) {
        return die_near_data(unit, target);
    }
    if (!owns) {
        return newest_ == kNone || random().is_full(newest_)
                   ? std::nullopt
                   : std::optional(die_of(random().block(newest_)));
    }
    if (offset < next_in_sequential(log)) {
        return has_data(unit) ? die_near_data(unit, target) : std::nullopt;
    }
    return die_of(sequential().block(log, 0));
}

void Fast::put_in_newest(Lpn lpn, Origin origin, FlashOpList& ops) {
    if (newest_ == kNone || random().is_full(newest_)) {
        if (random().used() == limit_) {
            reclaim_oldest(ops);
        }
        newest_ = open_random();
    }
    put_in_random(newest_, lpn, origin, ops);
}

void Fast::reclaim_oldest(FlashOpList& ops) {
    const std::uint32_t victim = random().oldest();
    const std::size_t before = ops.size();
    ++reclaims_.blocks;
    reclaims_.valid_pages += random().valid(victim);
    ++logged_.log_collections;
    logged_.log_valid_pages += random().valid(victim);
    ++logged_.evictions;
    if (listener_ != nullptr) {
        for (std::uint32_t page = 0; page < random().filled(victim); ++page) {
            if (random().is_valid(victim, page)) {
                listener_->on_map_eviction(random().lpn_at(victim, page));
            }
        }
    }
    for (std::uint32_t page = 0; page < random().filled(victim); ++page) {
        if (!random().is_valid(victim, page)) {
            continue;
        }
        const Unit unit = unit_of(random().lpn_at(victim, page));
        ++reclaims_.merged;
        ++logged_.log_merges;
        if (const std::uint32_t log = sequential_of(unit); log != kNone) {
            close_sequential(log, {}, ops);
        } else {
            merge_fully(unit, {}, ops);
        }
    }
    newest_ = victim == newest_ ? kNone : newest_;
    erase_random(victim, before, ops);
    Reclaims took;
    for (std::size_t i = before; i < ops.size(); ++i) {
        took.reads += ops[i].kind == FlashOpKind::kRead ? 1 : 0;
        took.programs += ops[i].kind == FlashOpKind::kProgram ? 1 : 0;
        took.erases += ops[i].kind == FlashOpKind::kErase ? 1 : 0;
    }
    reclaims_.reads += took.reads;
    reclaims_.programs += took.programs;
    reclaims_.erases += took.erases;
    logged_.log_reads += took.reads;
    logged_.log_programs += took.programs;
    logged_.log_erases += took.erases;
}

bool Fast::maintain(PlaneId plane, std::uint32_t, FlashOpList& ops) {
    const std::uint32_t victim = random().oldest();
    if (victim == kNone || limit_ - random().used() >= background() || !random().is_full(victim) ||
        store().geometry().plane_of(random().block(victim)) != plane) {
        return false;
    }
    reclaim_oldest(ops);
    return true;
}

void Fast::resize_cache(std::uint64_t bytes, FlashOpList& ops) {
    const std::uint64_t block = map_bytes(0, pages_per_block());
    const std::uint64_t logs = bytes < 2 * block ? 1 : bytes / block - 1;
    resize(static_cast<std::uint32_t>(std::min<std::uint64_t>(logs, most_random_logs())), ops);
    map_bytes_ = bytes;
}

void Fast::empty_cache(FlashOpList& ops) {
    while (random().used() > 0) {
        reclaim_oldest(ops);
    }
}

void Fast::resize(std::uint32_t random_logs, FlashOpList& ops) {
    CAVERN_CHECK(random_logs >= 1 && random_logs <= most_random_logs(),
                 std::to_string(random_logs) + " random log blocks of 1 to " +
                     std::to_string(most_random_logs()));
    limit_ = random_logs;
    while (random().used() > limit_) {
        reclaim_oldest(ops);
    }
}

std::uint64_t Fast::check_invariants() const {
    CAVERN_CHECK(random().used() <= limit_, "more random log blocks are in use than may be");
    CAVERN_CHECK(newest_ == kNone || random().newer(newest_) == kNone,
                 "host pages go to a random log block that is not the newest");
    const std::uint32_t unused =
        limit_ - random().used() + (sequential().least_recent(0) == kNone ? 1 : 0);
    CAVERN_CHECK(store().free_blocks() > unused,
                 "the drive lacks free blocks for its logs and a merge");
    return 3 + MixedLogFtl::check_invariants();
}

std::uint32_t fast_random_logs(const FtlParams& params) {
    const std::uint32_t random = own_params<FastParams>(params).random_logs;
    return random != 0 ? random : params.log_blocks - 1;
}

MapMemory fast_map_memory(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t block = Fast::map_bytes(0, geometry.pages_per_block);
    return {MapKind::kLogs, Fast::map_bytes(fast_random_logs(params), geometry.pages_per_block),
            block, 2 * block, 4};
}

std::optional<std::string> fast_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    if (fast_random_logs(params) == 0) {
        return "ftl.log_blocks = 1 leaves no random log block beside the sequential one; at least "
               "2";
    }
    const std::uint64_t kept = params.recovers ? 1 : 0; // for the mount after a loss of power
    return drive_spare_fits(geometry, params.overprovision,
                            std::uint64_t{fast_random_logs(params)} + 2 + kept,
                            kept != 0 ? "random log blocks + 3" : "random log blocks + 2");
}

} // namespace cavern
