// Collection, wear levelling and failures of the page-mapping layer.

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/ftl/page_ftl.h"

namespace cavern {

namespace {

UserError worn_out(const std::string& what, std::uint64_t bad, std::uint64_t blocks) {
    return {"<drive>", 1,
            what + " is worn out: " + std::to_string(bad) + " of its " + std::to_string(blocks) +
                " blocks are bad",
            "fewer failures, a shorter run, or a larger ftl.overprovision"};
}

} // namespace

void PageFtl::collect(const Frontier& host, PlaneId plane, FlashOpList& ops) {
    const auto wants_more = [&] {
        if (!in_pages_) {
            return pool_.count(plane) < gc_high_;
        }
        return free_pages(plane) < gc_high_ || (!is_open(host) && pool_.count(plane) <= room_);
    };
    while (wants_more()) {
        const std::optional<BlockId> victim = victims_->choose(plane);
        if (!victim) {
            return;
        }
        relocate(*victim, plane, ops);
    }
}

bool PageFtl::maintain(PlaneId asked, std::uint32_t copies, FlashOpList& ops) {
    const PlaneId plane = step_.plane(asked);
    if (refresh_ != nullptr && refresh_block(plane, ops) && !paced_) {
        limit(planes_[raw(plane)].host, plane);
        return true;
    }
    const bool refreshes = paced_ && emptying_[raw(plane)].block != 0 &&
                           emptying_[raw(plane)].origin == Origin::kRefresh;
    if (pool_.count(plane) >= background_ && !refreshes) {
        return false;
    }
    if (paced_) {
        if (emptying_[raw(plane)].block == 0 && !begin_worthwhile_victim(plane)) {
            return false;
        }
        empty(plane, (copies + together_ - 1) / together_ * together_, ops);
        limit(planes_[raw(plane)].host, plane);
        return true;
    }
    const std::optional<BlockId> victim = worthwhile_victim(plane);
    if (!victim) {
        return false;
    }
    relocate(*victim, plane, ops);
    limit(planes_[raw(plane)].host, plane);
    return true;
}

std::optional<BlockId> PageFtl::worthwhile_victim(PlaneId plane) {
    const std::optional<BlockId> victim = victims_->choose(plane);
    const bool pays = victim && blocks_[raw(*victim)].valid + together_ <= pages_per_block_;
    return pays ? victim : std::nullopt;
}

// Each victim has fewer valid pages than a block, so one free block suffices for its copies, and
// the erase gives one back: the pool is as full as before or fuller, and the free pages have grown.
// Failures take blocks in addition, out of those kept from the host.
void PageFtl::relocate(BlockId victim, PlaneId plane, FlashOpList& ops) {
    const std::uint32_t copies = blocks_[raw(victim)].valid;
    if (log_ != nullptr) {
        log_->gc(step_.block_in_flash(victim, 0), copies);
    }
    victims_->on_collect(plane, victim);
    const std::int32_t last =
        move_all(victim, gc_frontier(planes_[raw(plane)]), plane, Origin::kGc, ops);
    erase(victim, plane, Origin::kGc, last, ops);
    counters_.gc_pages += copies;
    ++counters_.gc_runs;
    if (!doomed_.empty()) {
        rescue(plane, ops);
    }
    if (levels_) {
        level(plane, ops);
    }
}

PageFtl::Moved PageFtl::move_pages(BlockId block, std::uint32_t first, std::uint32_t copies,
                                   Frontier& to, PlaneId plane, Origin origin, FlashOpList& ops) {
    if (handles_ != nullptr) {
        return move_pages<Apart::kHandle>(block, first, copies, to, plane, origin, ops);
    }
    return separates_ && origin != Origin::kWear
               ? move_pages<Apart::kHeat>(block, first, copies, to, plane, origin, ops)
               : move_pages<Apart::kNothing>(block, first, copies, to, plane, origin, ops);
}

template <PageFtl::Apart kApart>
PageFtl::Moved PageFtl::move_pages(BlockId block, std::uint32_t first, std::uint32_t copies,
                                   Frontier& to, PlaneId plane, Origin origin, FlashOpList& ops) {
    // The places of the pages in the map are scattered: have them fetched while the first ones are
    // looked at.
    const std::uint32_t ahead = std::min(pages_per_block_ - first, 2 * copies);
    for (std::uint32_t i = first; i < first + ahead; ++i) {
        l2p_.prefetch(p2l_.get(raw(geometry_.page(block, i))));
    }
    Moved moved;
    std::uint32_t i = first;
    for (; moved.copies < copies; ++i) {
        CAVERN_CHECK(i < pages_per_block_,
                     "block " + std::to_string(raw(block)) + " has fewer valid pages than counted");
        const Ppn from = geometry_.page(block, i);
        if (!is_valid(from)) {
            continue;
        }
        const Lpn lpn{p2l_.get(raw(from))};
        Frontier* chosen = &to;
        if constexpr (kApart == Apart::kHeat) {
            chosen = heat_.is_hot(lpn) ? &planes_[raw(plane)].gc_hot : &to;
        } else if constexpr (kApart == Apart::kHandle) {
            handles_->on_move(lpn);
            if (handles_->isolates_persistently()) {
                chosen = &moved_of_handle(plane, handles_->placed(lpn));
            }
        }
        Frontier& into = *chosen;
        if (into.next == into.fail) {
            prepare(into, plane, ops);
        }
        const Ppn page = step_.in_flash(append(into, plane, lpn));
        if (log_ != nullptr) {
            log_->program(origin, lpn, page);
        }
        const auto read = static_cast<std::int32_t>(ops.size());
        const Ppn source = step_.in_flash(from);
        ops.push_back({FlashOpKind::kRead, origin, source, lpn});
        ops.push_back(FlashOp::copy(origin, source, page, lpn, read));
        moved.last = read + 1;
        ++moved.copies;
    }
    blocks_[raw(block)].valid -= static_cast<std::uint16_t>(copies);
    moved.next = i;
    return moved;
}

void PageFtl::erase(BlockId block, PlaneId plane, Origin origin, std::int32_t after,
                    FlashOpList& ops) {
    BlockState& state = blocks_[raw(block)];
    for (std::uint32_t i = 0; i < step_.width(); ++i) {
        ops.push_back({FlashOpKind::kErase, origin,
                       Ppn{std::uint64_t{raw(step_.block_in_flash(block, i))} *
                           (pages_per_block_ / step_.width())},
                       kNoLpn, after});
    }
    counters_.erases += step_.width();
    const bool fails = faults_ != nullptr && faults_->erase_fails(block, state.erases);
    ++state.erases;
    if (refresh_ != nullptr) {
        refresh_->forget(block, plane);
    }
    if (fails) {
        ++counters_.failed_erases;
        retire(block, plane);
        return;
    }
    state.use = BlockUse::kFree;
    pool_.give_back(block);
    Wear& wear = planes_[raw(plane)].wear;
    wear.most = std::max(wear.most, state.erases);
}

// ---- wear levelling -----------------------------------------------------------------------------

// Static (docs/algorithms.md, WL-1; MQSim does so as well): what lies in the least-worn block is
// cold, or collection would have emptied it. Its pages go to the most-worn free block, where they
// will rest, and the block comes into use. Once after each victim, so that it ends.
void PageFtl::level(PlaneId id, FlashOpList& ops) {
    const std::optional<BlockId> coldest = uneven(id);
    if (!coldest) {
        return;
    }
    const std::uint32_t copies = blocks_[raw(*coldest)].valid;
    if (log_ != nullptr) {
        log_->level(step_.block_in_flash(*coldest, 0), copies);
    }
    if (copies < pages_per_block_) {
        victims_->on_collect(id, *coldest);
    }
    const std::int32_t last = move_all(*coldest, planes_[raw(id)].leveled, id, Origin::kWear, ops);
    erase(*coldest, id, Origin::kWear, last, ops);
    counters_.wear_pages += copies;
    ++counters_.wear_runs;
    if (!doomed_.empty()) {
        rescue(id, ops);
    }
}

std::optional<BlockId> PageFtl::uneven(PlaneId id) {
    const Plane& plane = planes_[raw(id)];
    if (plane.wear.most - plane.wear.least <= wear_threshold_) {
        return std::nullopt; // even of what the least may be
    }
    const std::optional<BlockId> coldest = find_coldest(id);
    if (!coldest || plane.wear.most - plane.wear.least <= wear_threshold_) {
        return std::nullopt;
    }
    const std::uint32_t copies = blocks_[raw(*coldest)].valid;
    return copies > pages_left(plane.leveled) && pool_.count(id) == 0 ? std::nullopt : coldest;
}

std::optional<BlockId> PageFtl::find_coldest(PlaneId id) {
    Wear& wear = planes_[raw(id)].wear;
    if (wear.coldest != 0) {
        const BlockState& state = blocks_[wear.coldest - 1];
        if (state.use == BlockUse::kClosed && state.erases == wear.least) {
            return BlockId{wear.coldest - 1};
        }
    }
    wear.coldest = 0;
    for (std::uint32_t i = geometry_.slc_blocks; i < pool_.first_fresh(id); ++i) {
        const BlockId block = geometry_.block(id, i);
        const BlockState& state = blocks_[raw(block)];
        if (state.use == BlockUse::kClosed && (wear.coldest == 0 || state.erases < wear.least)) {
            wear.least = state.erases;
            wear.coldest = raw(block) + 1;
        }
    }
    if (wear.coldest == 0) {
        wear.least = 0;
        return std::nullopt;
    }
    return BlockId{wear.coldest - 1};
}

// ---- refresh ------------------------------------------------------------------------------------

void PageFtl::refresh(Ppn page) {
    CAVERN_CHECK(refresh_ != nullptr, "a layer that refreshes has been told that it will");
    const std::uint32_t pages = pages_per_block_ / step_.width();
    const BlockId in_flash{static_cast<std::uint32_t>(raw(page) / pages)};
    const Ppn place = step_.page(in_flash, static_cast<std::uint32_t>(raw(page) % pages));
    const BlockId block{by_pages_per_block_.divide(raw(place))};
    refresh_->ask(block, PlaneId{by_blocks_per_plane_.divide(raw(block))});
}

// It takes no more blocks than it gives back, as a victim does; what is kept from the host suffices
// until then. A block that is being filled waits until it is full.
std::optional<BlockId> PageFtl::stale(PlaneId plane) const {
    if (pool_.count(plane) < reserve_) {
        return std::nullopt;
    }
    for (const BlockId block : refresh_->due(plane)) {
        if (blocks_[raw(block)].use == BlockUse::kClosed) {
            return block;
        }
    }
    return std::nullopt;
}

bool PageFtl::refresh_block(PlaneId plane, FlashOpList& ops) {
    if (paced_ && emptying_[raw(plane)].block != 0) {
        return false;
    }
    const std::optional<BlockId> block = stale(plane);
    if (!block) {
        return false;
    }
    if (paced_) {
        begin_emptying(*block, plane, Origin::kRefresh);
        return true;
    }
    const std::uint32_t copies = blocks_[raw(*block)].valid;
    if (log_ != nullptr) {
        log_->refresh(step_.block_in_flash(*block, 0), copies);
    }
    if (copies < pages_per_block_) {
        victims_->on_collect(plane, *block);
    }
    const std::int32_t last =
        move_all(*block, gc_frontier(planes_[raw(plane)]), plane, Origin::kRefresh, ops);
    erase(*block, plane, Origin::kRefresh, last, ops);
    counters_.refresh_pages += copies;
    ++counters_.refresh_runs;
    if (!doomed_.empty()) {
        rescue(plane, ops);
    }
    return true;
}

// ---- failures -----------------------------------------------------------------------------------

void PageFtl::fail_program(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    ops.push_back({FlashOpKind::kProgram, Origin::kFailed, Ppn{frontier.next}, kNoLpn});
    ++counters_.failed_programs;
    const BlockId block{frontier.block};
    frontier = {};
    if (blocks_[raw(block)].valid == 0) {
        retire(block, plane);
        return;
    }
    blocks_[raw(block)].use = BlockUse::kDoomed;
    doomed_.push_back(block);
}

void PageFtl::rescue(PlaneId plane, FlashOpList& ops) {
    while (!doomed_.empty()) {
        const BlockId block = doomed_.back();
        doomed_.pop_back();
        counters_.rescued_pages += blocks_[raw(block)].valid;
        (void)move_all(block, gc_frontier(planes_[raw(plane)]), plane, Origin::kRescue, ops);
        retire(block, plane);
    }
}

void PageFtl::retire(BlockId block, PlaneId plane) {
    blocks_[raw(block)].use = BlockUse::kBad;
    if (refresh_ != nullptr) {
        refresh_->forget(block, plane);
    }
    ++planes_[raw(plane)].bad;
    if (log_ != nullptr) {
        log_->retire(block);
    }
}

void PageFtl::refuse(PlaneId plane) const {
    const std::string what = "plane " + std::to_string(raw(plane));
    const std::uint32_t bad = planes_[raw(plane)].bad;
    CAVERN_CHECK(faults_ != nullptr && bad != 0, what + " has no room for a host page");
    throw worn_out(what, bad, geometry_.blocks_per_plane);
}

std::exception_ptr PageFtl::lack_of_room() const {
    const BadBlocks bad = bad_blocks();
    return bad.factory + bad.grown == 0
               ? SpaceIf::lack_of_room()
               : std::make_exception_ptr(
                     worn_out("the drive", bad.factory + bad.grown, geometry_.blocks()));
}

BadBlocks PageFtl::bad_blocks() const {
    BadBlocks bad;
    if (faults_ == nullptr) {
        return bad;
    }
    for (const Plane& plane : planes_) {
        bad.grown += plane.bad;
    }
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        bad.factory += faults_->is_factory_bad(BlockId{block}) ? 1 : 0;
    }
    bad.grown -= bad.factory;
    return bad;
}

} // namespace cavern
