#include "core/ftl/page_ftl.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {

namespace {

std::unique_ptr<VictimPolicyIf> make_victim_policy(const FtlParams& params,
                                                   const Geometry& geometry,
                                                   const BlockStates& blocks,
                                                   const WriteClock& clock) {
    CAVERN_CHECK(params.gc_policy != nullptr, "a layer that collects has a victim policy");
    return params.gc_policy->make({geometry, blocks, clock, params.seed}, params.gc_params);
}

std::unique_ptr<const BlockFaultsIf> make_faults(const Geometry& geometry,
                                                 const FtlParams& params) {
    return params.faults.any()
               ? std::make_unique<const BlockFaults>(geometry, params.faults, params.seed)
               : nullptr;
}

std::unique_ptr<ReclaimHandles> make_handles(const FtlParams& params, std::uint64_t pages) {
    return params.placement.handles != 0 ? std::make_unique<ReclaimHandles>(params.placement, pages)
                                         : nullptr;
}

std::unique_ptr<BlockRefresh> make_refresh(const PlanesInStep& step, const FtlParams& params) {
    const Geometry& geometry = step.shape();
    return params.refresh_reads != 0 || params.refreshes
               ? std::make_unique<BlockRefresh>(geometry.blocks(), geometry.planes(),
                                                params.refresh_reads * step.width())
               : nullptr;
}

/// Reserved blocks are left out of the pool as those in SLC mode are.
Geometry reserving(Geometry geometry, std::uint32_t blocks) {
    geometry.slc_blocks += blocks;
    return geometry;
}

std::uint64_t heat_period(const FtlParams& params, std::uint64_t pages) {
    const double period = params.hot_decay * static_cast<double>(pages);
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(period), 1);
}

} // namespace

PageFtl::PageFtl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : PageFtl(PlanesInStep(geometry, params.gc_placement), params, log) {}

PageFtl::PageFtl(const PlanesInStep& step, const FtlParams& params, DecisionLogIf* log)
    : step_(step), geometry_(reserving(step.shape(), params.reserved_blocks)),
      pages_per_block_(geometry_.pages_per_block), together_(geometry_.units_per_program()),
      by_pages_per_block_(geometry_.pages_per_block),
      by_blocks_per_plane_(geometry_.blocks_per_plane), gc_low_(params.gc_low),
      gc_high_(params.gc_high), background_(params.gc_background), in_pages_(params.gc_in_pages),
      paced_(params.gc_pace == GcPace::kPaced), shared_(params.gc_shared_frontier),
      separates_(params.hot_cold), levels_(params.wear_leveling == WearLeveling::kStatic),
      wear_threshold_(params.wear_threshold), log_(log), faults_(make_faults(geometry_, params)),
      refresh_(make_refresh(step_, params)), reserve_(page_ftl_kept(params)),
      room_(reserve_ + page_ftl_begun(params)),
      l2p_(page_ftl_logical_pages(step.shape().without_slc(), params.overprovision),
           geometry_.pages(), Touches::kScattered),
      p2l_(geometry_.pages(), geometry_.pages()), blocks_(geometry_.blocks()),
      heat_(separates_ ? l2p_.size() : 0, heat_period(params, l2p_.size())),
      handles_(make_handles(params, l2p_.size())),
      pool_(geometry_, params.wear_leveling == WearLeveling::kNone ? nullptr : &blocks_,
            faults_.get()),
      planes_(geometry_.planes()),
      victims_(make_victim_policy(params, geometry_, blocks_, clock_)) {
    CAVERN_CHECK(gc_low_ >= 1 && gc_high_ > gc_low_, "the watermarks of collection cannot work");
    CAVERN_CHECK(pages_per_block_ <= 0xFFFFu && geometry_.pages() < PageNumbers::kMost,
                 "blocks or drive are too large for the map");
    CAVERN_CHECK(!paced_ || !in_pages_, "collection in steps has watermarks in blocks");
    CAVERN_CHECK(!separates_ || (!shared_ && !in_pages_),
                 "hot and cold pages need blocks of their own and watermarks in blocks");
    if (!in_pages_) {
        gc_low_ = std::max(gc_low_, room_);
        gc_high_ = std::max(gc_high_, gc_low_ + 1);
    }
    CAVERN_CHECK(faults_ == nullptr || step_.width() == 1,
                 "blocks of planes in step do not fail one by one");
    CAVERN_CHECK(handles_ == nullptr || (!shared_ && !in_pages_ && !separates_ && !levels_ &&
                                         faults_ == nullptr && together_ == 1),
                 "handles have blocks of their own, of whole pages, that do not fail");
    by_handle_.resize(handles_ != nullptr ? planes_.size() * handles_->count() : 0);
    by_handle_moved_.resize(
        handles_ != nullptr && handles_->isolates_persistently() ? by_handle_.size() : 0);
    emptying_.resize(paced_ ? planes_.size() : 0);
    if (faults_ == nullptr) {
        return;
    }
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        if (faults_->is_factory_bad(BlockId{block})) {
            blocks_[block].use = BlockUse::kBad;
            ++planes_[block / geometry_.blocks_per_plane].bad;
        }
    }
}

void PageFtl::write(Lpn lpn, PlaneId wanted, FlashOpList& ops) {
    const PlaneId target = step_.plane(wanted);
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    Plane& plane = planes_[raw(target)];
    Frontier* host = &plane.host;
    if (host->next == host->stop) {
        host = &choose_frontier(plane, target, lpn, false, ops);
    }
    // Only now: collection may have moved the older version.
    const std::uint64_t old = l2p_.get(raw(lpn));
    if (old != 0) {
        invalidate(Ppn{old - 1});
    }
    const Ppn page = step_.in_flash(append(*host, target, lpn));
    ++plane.valid;
    ++counters_.host_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kHost, lpn, page);
    }
    FlashOp& op = ops.emplace_back();
    op.kind = FlashOpKind::kProgram;
    op.page = page;
    op.lpn = lpn;
    op.supersedes = old != 0 ? step_.in_flash(Ppn{old - 1}) : kNoPpn;
}

// As the general one, but without a virtual call for each page.
void PageFtl::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    for (std::size_t i = 0; i < count; ++i) {
        if (pages[i].padding) {
            PageFtl::pad(pages[i].lpn, pages[i].target, ops);
        } else {
            PageFtl::write(pages[i].lpn, pages[i].target, ops);
        }
    }
}

void PageFtl::complete_pages(FlashOpList& ops) {
    for (const PlaneId id : begun_) {
        Plane& plane = planes_[raw(id)];
        for (Frontier* frontier :
             {&plane.host, &plane.gc, &plane.hot, &plane.cold, &plane.gc_hot, &plane.leveled}) {
            complete_page(*frontier, id, ops);
        }
    }
    begun_.clear();
}

void PageFtl::complete_copies(FlashOpList& ops) {
    for (const PlaneId id : begun_) {
        Plane& plane = planes_[raw(id)];
        for (Frontier* frontier : {&plane.gc, &plane.gc_hot, &plane.leveled}) {
            complete_page(*frontier, id, ops);
        }
    }
}

void PageFtl::complete_page(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    while (is_open(frontier) && frontier.next % together_ != 0) {
        const Ppn page = step_.in_flash(Ppn{frontier.next++});
        ops.push_back({FlashOpKind::kProgram, Origin::kPadding, page});
        ++counters_.padding_pages;
        frontier.stop = std::max(frontier.stop, frontier.next);
        if (!is_open(frontier)) {
            close(frontier, plane);
        }
    }
}

void PageFtl::pad(Lpn lpn, PlaneId wanted, FlashOpList& ops) {
    const PlaneId target = step_.plane(wanted);
    Plane& plane = planes_[raw(target)];
    Frontier* host = &plane.host;
    if (host->next == host->stop) {
        host = &choose_frontier(plane, target, lpn, true, ops);
    }
    const Ppn old = place(lpn);
    const Ppn from = old == kNoPpn ? kNoPpn : step_.in_flash(old);
    if (old != kNoPpn) {
        invalidate(old);
    }
    const Ppn to = step_.in_flash(append(*host, target, lpn));
    ++plane.valid;
    ++counters_.padding_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kPadding, lpn, to);
    }
    if (from == kNoPpn) {
        ops.push_back({FlashOpKind::kProgram, Origin::kPadding, to, lpn});
        return;
    }
    const auto read = static_cast<std::int32_t>(ops.size());
    ops.push_back({FlashOpKind::kRead, Origin::kPadding, from, lpn});
    ops.push_back(FlashOp::copy(Origin::kPadding, from, to, lpn, read));
}

Ppn PageFtl::read(Lpn lpn, FlashOpList&) {
    const Ppn page = place(lpn);
    if (page == kNoPpn) {
        return kNoPpn;
    }
    if (refresh_ != nullptr) {
        const BlockId block{by_pages_per_block_.divide(raw(page))};
        refresh_->on_read(block, PlaneId{by_blocks_per_plane_.divide(raw(block))});
    }
    return step_.in_flash(page);
}

void PageFtl::trim(Lpn lpn, FlashOpList&) {
    const Ppn old = place(lpn);
    if (old != kNoPpn) {
        invalidate(old);
        l2p_.set(raw(lpn), 0);
    }
}

// Asks for a block of room, not a page: callers place a whole batch before they write it.
bool PageFtl::has_room(PlaneId wanted, Lpn) const {
    const PlaneId target = step_.plane(wanted);
    if (pool_.count(target) > room_) {
        return true; // collecting a victim takes at most the one block it gives back
    }
    return has_room_packed(target);
}

bool PageFtl::has_room_packed(PlaneId target) const {
    const Plane& plane = planes_[raw(target)];
    // Once the host block is full, collecting everything leaves the valid pages packed behind the
    // garbage that sits in blocks still open. What remains must be another block for the host and
    // what is kept from it. (Collection stops earlier at gc_high, which is at least that.)
    std::uint64_t pages = plane.valid + pages_left(plane.host) + garbage_in(plane.gc) +
                          garbage_in(plane.leveled) + pages_left(plane.leveled);
    if (separates_) {
        // Any of these may stay open; collection fills one of its two, wherever the pages belong.
        for (const Frontier* f : {&plane.hot, &plane.cold, &plane.gc_hot}) {
            pages += garbage_in(*f) + pages_left(*f);
        }
        pages += pages_left(plane.gc);
    }
    if (handles_ != nullptr) {
        each_of_handles(target, [&](const Frontier& f) { pages += garbage_in(f) + pages_left(f); });
        pages += pages_left(plane.gc);
    }
    return (pages + pages_per_block_ - 1) / pages_per_block_ + room_ + 1 +
               page_ftl_padding(geometry_) <=
           geometry_.blocks_per_plane - geometry_.slc_blocks - plane.bad;
}

Ppn PageFtl::location(Lpn lpn) const {
    const Ppn page = place(lpn);
    return page == kNoPpn ? kNoPpn : step_.in_flash(page);
}

std::uint32_t PageFtl::valid_in_flash(BlockId block) const {
    std::uint32_t valid = 0;
    for (std::uint32_t i = 0; i < pages_per_block_ / step_.width(); ++i) {
        valid += is_valid(step_.page(block, i)) ? 1 : 0;
    }
    return valid;
}

Ppn PageFtl::place(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < l2p_.size(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
    const std::uint64_t entry = l2p_.get(raw(lpn));
    return entry == 0 ? kNoPpn : Ppn{entry - 1};
}

std::uint64_t PageFtl::mapped_pages() const {
    std::uint64_t pages = 0;
    for (const Plane& plane : planes_) {
        pages += plane.valid;
    }
    return pages;
}

std::uint64_t PageFtl::free_pages(PlaneId id) const {
    const Plane& plane = planes_[raw(id)];
    return std::uint64_t{pool_.count(id)} * pages_per_block_ + pages_left(plane.host) +
           pages_left(plane.gc);
}

// ---- frontiers ----------------------------------------------------------------------------------

PageFtl::Frontier& PageFtl::choose_frontier(Plane& plane, PlaneId target, Lpn lpn, bool padding,
                                            FlashOpList& ops) {
    Frontier* chosen = &plane.host;
    if (separates_) {
        const bool is_hot = padding ? heat_.is_hot(lpn) : heat_.on_write(lpn);
        chosen = is_hot ? &plane.hot : &plane.cold;
    } else if (handles_ != nullptr) {
        chosen = &of_handle(target, handles_->wanted(lpn));
        handles_->on_program(lpn, padding);
    }
    Frontier& host = *chosen;
    if (host.next == host.stop) {
        make_room(host, target, ops);
    }
    return host;
}

void PageFtl::make_room(Frontier& host, PlaneId target, FlashOpList& ops) {
    if (refresh_ != nullptr) {
        refresh_block(target, ops);
    }
    for (;;) {
        if (paced_) {
            pace(host, target, ops);
        } else if (is_low(host, target)) {
            collect(host, target, ops);
        }
        // With a shared frontier the collection may have left one open.
        if (!is_open(host)) {
            if (pool_.count(target) <= reserve_) {
                refuse(target);
            }
            open(host, target);
            if (handles_ != nullptr) {
                handles_->on_open(static_cast<std::uint32_t>(&host - &of_handle(target, 0)));
            }
        }
        if (host.next != host.fail) {
            break;
        }
        fail_program(host, target, ops);
        rescue(target, ops);
    }
    limit(host, target);
}

bool PageFtl::is_low(const Frontier& host, PlaneId plane) const {
    if (!in_pages_) {
        return !is_open(host) && pool_.count(plane) <= gc_low_;
    }
    return free_pages(plane) <= gc_low_ || (!is_open(host) && pool_.count(plane) <= room_);
}

void PageFtl::limit(Frontier& host, PlaneId plane) const {
    // Free pages change only by collection, after which this is called, and by host pages.
    const auto stop_at = [&](std::uint64_t free, std::uint64_t low) {
        const std::uint64_t ahead = free > low ? free - low : 1;
        host.stop = std::min(host.fail, host.next + ahead);
    };
    if (in_pages_) {
        stop_at(free_pages(plane), gc_low_);
    } else if (paced_ && emptying_[raw(plane)].block != 0) {
        stop_at(0, 0);
    } else if (paced_) {
        stop_at(pages_to_fill(plane), pages_wanted());
    } else {
        host.stop = host.fail;
    }
}

void PageFtl::prepare(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    while (frontier.next == frontier.fail) {
        if (is_open(frontier)) {
            fail_program(frontier, plane, ops);
        } else if (pool_.count(plane) == 0) {
            refuse(plane);
        } else {
            open(frontier, plane);
        }
    }
}

void PageFtl::open(Frontier& frontier, PlaneId id) {
    Plane& plane = planes_[raw(id)];
    const BlockId block = &frontier == &plane.leveled ? pool_.take_most_worn(id) : pool_.take(id);
    const std::uint64_t first = raw(geometry_.page(block, 0));
    const std::uint64_t end = first + pages_per_block_;
    BlockState& state = blocks_[raw(block)];
    frontier = {raw(block), first, end, end, end};
    if (faults_ != nullptr && faults_->can_grow()) {
        std::uint32_t page = 0;
        while (page < pages_per_block_ && !faults_->program_fails(block, page, state.erases)) {
            ++page;
        }
        frontier.stop = frontier.fail = first + page;
    }
    state.use = BlockUse::kOpen;
    victims_->on_open(id, block);
}

void PageFtl::close(Frontier& frontier, PlaneId plane) {
    BlockState& block = blocks_[frontier.block];
    block.use = BlockUse::kClosed;
    if (block.valid < pages_per_block_) {
        victims_->on_garbage(plane, BlockId{frontier.block});
    }
    Wear& wear = planes_[raw(plane)].wear;
    if (levels_ && wear.coldest != 0 &&
        (block.erases < wear.least ||
         (block.erases == wear.least && frontier.block + 1 < wear.coldest))) {
        wear.least = block.erases;
        wear.coldest = frontier.block + 1;
    }
}

void PageFtl::invalidate(Ppn page) {
    const BlockId id{by_pages_per_block_.divide(raw(page))};
    const PlaneId plane{by_blocks_per_plane_.divide(raw(id))};
    BlockState& block = blocks_[raw(id)];
    --block.valid;
    --planes_[raw(plane)].valid;
    if (block.use == BlockUse::kClosed) {
        victims_->on_garbage(plane, id);
    }
}

} // namespace cavern
