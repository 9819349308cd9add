#include "core/ftl/slc_cache.h"

#include <algorithm>

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
    : PageFtl(geometry, params, log),
      bypasses_(own_params<SlcCacheParams>(params).when_full == SlcFull::kBypass),
      idle_(own_params<SlcCacheParams>(params).idle), regions_(planes_.size()) {
    CAVERN_CHECK(geometry_.slc_blocks >= 2 && geometry_.slc_pages >= 1,
                 "a cache in SLC mode has blocks");
    CAVERN_CHECK(faults_ == nullptr && !separates_ && !levels_,
                 "a cache in SLC mode has blocks that do not fail, and no hot and cold ones");
    room_ += slc_cache_kept(params);
}

void SlcCache::write(Lpn lpn, PlaneId wanted, FlashOpList& ops) {
    const PlaneId plane = step_.plane(wanted);
    Region& region = regions_[raw(plane)];
    if (!make_room(region, plane, ops)) {
        PageFtl::write(lpn, wanted, ops);
        return;
    }
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    // Only now: folding and collection may have moved the older version.
    const std::uint64_t old = l2p_.get(raw(lpn));
    if (old != 0) {
        invalidate(Ppn{old - 1});
    }
    const std::uint64_t at = region.next++;
    p2l_.set(at, raw(lpn));
    l2p_.set(raw(lpn), at + 1);
    ++blocks_[raw(geometry_.block_of(Ppn{at}))].valid;
    ++planes_[raw(plane)].valid;
    if (geometry_.units_per_page != 1 && (begun_.empty() || begun_.back() != plane)) {
        begun_.push_back(plane);
    }
    ++counters_.host_pages;
    ++own_.slc_pages;
    const Ppn page = step_.in_flash(Ppn{at});
    if (log_ != nullptr) {
        log_->program(Origin::kHost, lpn, page);
    }
    FlashOp& op = ops.emplace_back();
    op.kind = FlashOpKind::kProgram;
    op.page = page;
    op.lpn = lpn;
    op.supersedes = old != 0 ? step_.in_flash(Ppn{old - 1}) : kNoPpn;
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
    const bool all_used = region.used == geometry_.slc_blocks;
    if (!bypasses_ && all_used) {
        region.owed += region.due;
        const auto owed = static_cast<std::uint32_t>(region.owed / geometry_.slc_pages);
        const std::uint32_t copies = owed - owed % together_;
        region.owed -= std::uint64_t{copies} * geometry_.slc_pages;
        if (copies != 0) {
            fold(region, plane, copies, ops);
        }
    }
    if (region.next != region.end) {
        return true;
    }
    if (region.used == geometry_.slc_blocks) {
        if (bypasses_) {
            return false;
        }
        fold(region, plane, geometry_.slc_pages, ops);
    }
    const BlockId opened = block(plane, region, region.used++);
    blocks_[raw(opened)].use = BlockUse::kSlc;
    region.next = raw(geometry_.page(opened, 0));
    region.end = region.next + geometry_.slc_pages;
    if (region.used == geometry_.slc_blocks) {
        region.due = blocks_[raw(block(plane, region, 0))].valid;
        region.owed = 0;
    }
    return true;
}

void SlcCache::fold(Region& region, PlaneId plane, std::uint32_t copies, FlashOpList& ops) {
    const BlockId oldest = block(plane, region, 0);
    BlockState& state = blocks_[raw(oldest)];
    Frontier& to = planes_[raw(plane)].host;
    std::int32_t last = FlashOp::kNone;
    // The copies of a NAND page are decided together, and do not share it with earlier host pages.
    complete_page(to, plane, ops);
    for (std::uint32_t moved = 0; moved < copies && state.valid != 0; ++region.emptied) {
        CAVERN_CHECK(region.emptied < geometry_.slc_pages,
                     "a block in SLC mode has fewer valid pages than counted");
        const Ppn from = geometry_.page(oldest, region.emptied);
        if (!is_valid(from)) {
            continue;
        }
        move(from, plane, ops);
        last = static_cast<std::int32_t>(ops.size()) - 1;
        ++moved;
        ++region.copied;
    }
    complete_page(to, plane, ops);
    if (state.valid != 0) {
        return;
    }
    if (log_ != nullptr) {
        log_->fold(step_.block_in_flash(oldest, 0), region.copied);
    }
    for (std::uint32_t i = 0; i < step_.width(); ++i) {
        ops.push_back({FlashOpKind::kErase, Origin::kFold,
                       Ppn{std::uint64_t{raw(step_.block_in_flash(oldest, i))} *
                           (pages_per_block_ / step_.width())},
                       kNoLpn, last});
    }
    counters_.erases += step_.width();
    ++own_.folds;
    ++state.erases;
    region.oldest = (region.oldest + 1) % geometry_.slc_blocks;
    --region.used;
    region.emptied = region.copied = region.due = 0;
    region.owed = 0;
}

void SlcCache::move(Ppn from, PlaneId plane, FlashOpList& ops) {
    const Lpn lpn{p2l_.get(raw(from))};
    Plane& state = planes_[raw(plane)];
    Frontier* to = &state.host;
    if (to->next == to->stop) {
        to = &choose_frontier(state, plane, lpn, true, ops);
    }
    invalidate(from);
    const Ppn page = step_.in_flash(append(*to, plane, lpn));
    ++state.valid;
    ++own_.fold_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kFold, lpn, page);
    }
    const auto read = static_cast<std::int32_t>(ops.size());
    const Ppn source = step_.in_flash(from);
    ops.push_back({FlashOpKind::kRead, Origin::kFold, source, lpn});
    ops.push_back(FlashOp::copy(Origin::kFold, source, page, lpn, read));
}

void SlcCache::complete_pages(FlashOpList& ops) {
    for (const PlaneId plane : begun_) {
        Region& region = regions_[raw(plane)];
        while (region.next != region.end && region.next % geometry_.units_per_page != 0) {
            ops.push_back(
                {FlashOpKind::kProgram, Origin::kPadding, step_.in_flash(Ppn{region.next++})});
            ++counters_.padding_pages;
        }
    }
    PageFtl::complete_pages(ops);
}

bool SlcCache::maintain(PlaneId asked, std::uint32_t copies, FlashOpList& ops) {
    const PlaneId plane = step_.plane(asked);
    Region& region = regions_[raw(plane)];
    if (!idle_ || region.used < 2) {
        return PageFtl::maintain(asked, copies, ops);
    }
    fold(region, plane, (copies + together_ - 1) / together_ * together_, ops);
    return true;
}

bool SlcCache::has_room(PlaneId wanted, Lpn) const {
    return has_room_packed(step_.plane(wanted));
}

std::uint64_t SlcCache::check_invariants() const {
    std::uint64_t facts = 0;
    for (std::uint32_t i = 0; i < regions_.size(); ++i) {
        const PlaneId plane{i};
        const Region& region = regions_[i];
        CAVERN_CHECK(region.used <= geometry_.slc_blocks, "a plane has its blocks in SLC mode");
        for (std::uint32_t place = 0; place < geometry_.slc_blocks; ++place) {
            const BlockState& state = blocks_[raw(block(plane, region, place))];
            CAVERN_CHECK(place < region.used || state.valid == 0,
                         "valid pages in SLC mode lie in blocks that are in use");
            CAVERN_CHECK(state.valid <= geometry_.slc_pages,
                         "a block in SLC mode has no more pages than that");
            ++facts;
        }
        CAVERN_CHECK(region.next == region.end ||
                         (region.used != 0 && geometry_.block_of(Ppn{region.next}) ==
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
