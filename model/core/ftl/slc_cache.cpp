#include "core/ftl/slc_cache.h"

#include "core/base/check.h"
#include "core/ftl/page_ftl_why_not.h"

namespace cavern {

namespace {

/// What is folded after a mount goes to another block than what was collected: both may be in part
/// empty when a plane is as full as it may be.
std::uint32_t slc_cache_kept(const FtlParams& params) {
    return params.recovers ? 1 : 0;
}

} // namespace

SlcCache::SlcCache(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : PageFtl(PlanesInStep(geometry, params.gc_placement), params, slc_cache_kept(params), log),
      bypasses_(own_params<SlcCacheParams>(params).when_full == SlcFull::kBypass),
      idle_(own_params<SlcCacheParams>(params).idle), regions_(space_.geometry().planes()) {
    CAVERN_CHECK(geometry.slc_blocks >= 2 && geometry.slc_pages >= 1,
                 "a cache in SLC mode has blocks");
    CAVERN_CHECK(!params.faults.any() && !params.hot_cold && !space_.streams().levels,
                 "a cache in SLC mode has blocks that do not fail, and no hot and cold ones");
    parts_.nand_pages = space_.together() != 1 ? this : nullptr;
    parts_.idle_work = idle_ || params.gc_background != 0 ? this : nullptr;
}

void SlcCache::write(Lpn lpn, PlaneId wanted, FlashOpList& ops) {
    const PlaneId plane = space_.step().plane(wanted);
    Region& region = regions_[raw(plane)];
    if (!make_room(region, plane, ops)) {
        PageFtl::write(lpn, wanted, ops);
        return;
    }
    check_range(lpn);
    // Only now: folding and collection may have moved the older version.
    const std::uint64_t old = l2p_.get(raw(lpn));
    if (old != 0) {
        space_.invalidate(Ppn{old - 1});
    }
    const Ppn at{region.next++};
    space_.put(at, plane, lpn);
    ++own_.slc_pages;
    note_host_page(lpn, at, old, ops);
}

void SlcCache::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    for (std::size_t i = 0; i < count; ++i) {
        if (pages[i].padding) {
            pad(pages[i].lpn, pages[i].target, ops);
        } else {
            SlcCache::write(pages[i].lpn, pages[i].target, ops);
        }
    }
}

bool SlcCache::make_room(Region& region, PlaneId plane, FlashOpList& ops) {
    const Geometry& geometry = space_.geometry();
    const bool all_used = region.used == geometry.slc_blocks;
    if (!bypasses_ && all_used) {
        if (const std::uint32_t copies = region.pace.due(space_.together())) {
            fold(region, plane, copies, ops);
        }
    }
    if (region.next != region.end) {
        return true;
    }
    if (region.used == geometry.slc_blocks) {
        if (bypasses_) {
            return false;
        }
        fold(region, plane, Emptying::kAll, ops);
    }
    const BlockId opened = block(plane, region, region.used++);
    space_.block(opened).use = BlockUse::kSlc;
    region.next = raw(geometry.page(opened, 0));
    region.end = region.next + geometry.slc_pages;
    if (region.used == geometry.slc_blocks) {
        region.pace = Pace();
        region.pace.begin(space_.block(block(plane, region, 0)).valid, geometry.slc_pages);
    }
    return true;
}

void SlcCache::fold(Region& region, PlaneId plane, std::uint32_t copies, FlashOpList& ops) {
    const BlockId oldest = block(plane, region, 0);
    BlockState& state = space_.block(oldest);
    Frontier& to = space_.frontier(plane, Streams::kHost);
    Emptying& task = region.task;
    task.last = FlashOp::kNone;
    // The copies of a NAND page are decided together, and do not share it with earlier host pages.
    space_.complete_page(to, plane, ops);
    for (std::uint32_t moved = 0; moved < copies && state.valid != 0; ++task.next) {
        CAVERN_CHECK(task.next < space_.geometry().slc_pages,
                     "a block in SLC mode has fewer valid pages than counted");
        const Ppn from = space_.geometry().page(oldest, task.next);
        if (!is_valid(from)) {
            continue;
        }
        task.last = fold_page(from, plane, ops);
        ++moved;
        ++task.copied;
    }
    space_.complete_page(to, plane, ops);
    if (state.valid != 0) {
        return;
    }
    if (log_ != nullptr) {
        log_->fold(space_.step().block_in_flash(oldest, 0), task.copied);
    }
    space_.erase_in_flash(oldest, Origin::kFold, task.last, ops);
    ++own_.folds;
    ++state.erases;
    region.oldest = (region.oldest + 1) % space_.geometry().slc_blocks;
    --region.used;
    task = {};
    region.pace = Pace();
}

std::int32_t SlcCache::fold_page(Ppn from, PlaneId plane, FlashOpList& ops) {
    const Lpn lpn = space_.owner(from);
    Frontier& to = host_frontier(plane, lpn, true, ops);
    space_.invalidate(from);
    const Ppn at = space_.add(to, plane, lpn);
    l2p_.set(raw(lpn), raw(at) + 1);
    const Ppn page = space_.in_flash(at);
    ++own_.fold_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kFold, lpn, page);
    }
    return push_copy(Origin::kFold, space_.in_flash(from), page, lpn, ops);
}

void SlcCache::complete_pages(FlashOpList& ops) {
    for (const PlaneId plane : space_.begun()) {
        Region& region = regions_[raw(plane)];
        while (region.next != region.end && region.next % space_.geometry().units_per_page != 0) {
            ops.push_back(
                {FlashOpKind::kProgram, Origin::kPadding, space_.in_flash(Ppn{region.next++})});
            ++space_.counters().padding_pages;
        }
    }
    space_.complete_pages(ops);
}

bool SlcCache::maintain(PlaneId asked, std::uint32_t copies, FlashOpList& ops) {
    const PlaneId plane = space_.step().plane(asked);
    Region& region = regions_[raw(plane)];
    if (!idle_ || region.used < 2) {
        return PageFtl::maintain(asked, copies, ops);
    }
    const std::uint32_t together = space_.together();
    fold(region, plane, (copies + together - 1) / together * together, ops);
    return true;
}

bool SlcCache::has_room(PlaneId wanted, Lpn) const {
    return space_.has_room_packed(space_.step().plane(wanted), collector_.room());
}

std::uint64_t SlcCache::check_invariants() const {
    const Geometry& geometry = space_.geometry();
    std::uint64_t facts = 0;
    for (std::uint32_t i = 0; i < regions_.size(); ++i) {
        const PlaneId plane{i};
        const Region& region = regions_[i];
        CAVERN_CHECK(region.used <= geometry.slc_blocks, "a plane has its blocks in SLC mode");
        for (std::uint32_t place = 0; place < geometry.slc_blocks; ++place) {
            const BlockState& state = space_.block(block(plane, region, place));
            CAVERN_CHECK(place < region.used || state.valid == 0,
                         "valid pages in SLC mode lie in blocks that are in use");
            CAVERN_CHECK(state.valid <= geometry.slc_pages,
                         "a block in SLC mode has no more pages than that");
            ++facts;
        }
        CAVERN_CHECK(region.next == region.end ||
                         (region.used != 0 && geometry.block_of(Ppn{region.next}) ==
                                                  block(plane, region, region.used - 1)),
                     "host pages go to the newest block in SLC mode");
        ++facts;
    }
    return facts + PageFtl::check_invariants();
}

std::optional<std::string> slc_cache_why_not(const Geometry& geometry, const FtlParams& params) {
    if (geometry.slc_blocks < 2) {
        return "nand.slc_blocks = " + std::to_string(geometry.slc_blocks) +
               " with ftl.scheme = slc-cache: one is filled while another is emptied; at least 2";
    }
    if (geometry.slc_blocks >= geometry.blocks_per_plane) {
        return "nand.slc_blocks = " + std::to_string(geometry.slc_blocks) + " of " +
               std::to_string(geometry.blocks_per_plane) +
               " blocks per plane leaves none of all bits; fewer";
    }
    if (params.recovers && params.gc_placement != GcPlacement::kPlane) {
        return "a loss of power with ftl.scheme = slc-cache and planes that ftl.gc_placement "
               "joins; ftl.gc_placement = plane";
    }
    FtlParams with_kept = params;
    with_kept.reserved_blocks += slc_cache_kept(params);
    return page_ftl_why_not(geometry.without_slc(), with_kept);
}

} // namespace cavern
