#include "core/ftl/flash_space.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/page_map_if.h"
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

UserError worn_out(const std::string& what, std::uint64_t bad, std::uint64_t blocks) {
    return {"<drive>", 1,
            what + " is worn out: " + std::to_string(bad) + " of its " + std::to_string(blocks) +
                " blocks are bad",
            "fewer failures, a shorter run, or a larger ftl.overprovision"};
}

} // namespace

FlashSpace::FlashSpace(const PlanesInStep& step, const FtlParams& params, const Streams& streams,
                       DecisionLogIf* log)
    : step_(step), geometry_(reserving(step.shape(), params.reserved_blocks)),
      together_(geometry_.units_per_program()), by_pages_per_block_(geometry_.pages_per_block),
      by_blocks_per_plane_(geometry_.blocks_per_plane), streams_(streams), log_(log),
      faults_(make_faults(geometry_, params)), refresh_(make_refresh(step_, params)),
      wear_(streams.levels
                ? std::make_unique<WearLeveler>(geometry_.planes(), params.wear_threshold)
                : nullptr),
      owners_(geometry_.pages(), geometry_.pages()), blocks_(geometry_.blocks()),
      pool_(geometry_, params.wear_leveling == WearLeveling::kNone ? nullptr : &blocks_,
            faults_.get()),
      planes_(geometry_.planes()), frontiers_(planes_.size() * streams.count()),
      victims_(make_victim_policy(params, geometry_, blocks_, clock_)) {
    CAVERN_CHECK(geometry_.pages_per_block <= 0xFFFFu && geometry_.pages() < PageNumbers::kMost,
                 "blocks or drive are too large for the map");
    CAVERN_CHECK(faults_ == nullptr || step_.width() == 1,
                 "blocks of planes in step do not fail one by one");
    if (streams.tables) {
        auto victims = std::make_unique<TableVictims>(std::move(victims_), geometry_, blocks_);
        table_victims_ = victims.get();
        victims_ = std::move(victims);
    }
    for (const BlockId block : factory_bad()) {
        blocks_[raw(block)].use = BlockUse::kBad;
        ++planes_[raw(plane_of(block))].bad;
    }
}

std::uint64_t FlashSpace::valid_pages() const {
    std::uint64_t pages = 0;
    for (const Plane& plane : planes_) {
        pages += plane.valid;
    }
    return pages;
}

std::uint64_t FlashSpace::pages_to_fill(PlaneId plane) const {
    std::uint64_t pages = std::uint64_t{pool_.count(plane)} * geometry_.pages_per_block;
    for (Stream stream = 0; stream < streams_.leveled(); ++stream) { // beyond: cold pages alone
        pages += at(plane, stream).left();
    }
    return pages;
}

bool FlashSpace::has_room_packed(PlaneId plane, std::uint32_t kept) const {
    // Once the host block is full, collecting everything leaves the valid pages packed behind the
    // garbage that sits in blocks still open. What remains must be another block for the host and
    // what is kept from it. (Collection stops earlier at gc_high, which is at least that.) Where
    // pages are told apart any block may stay open: collection fills one, wherever they belong.
    std::uint64_t pages = planes_[raw(plane)].valid;
    for (Stream stream = 0; stream < streams_.table(); ++stream) {
        const Frontier& f = at(plane, stream);
        pages += streams_.hosts == 0 && stream == Streams::kHost ? 0 : garbage_in(f);
        pages += streams_.hosts == 0 && stream == 1 ? 0 : f.left();
    }
    return (pages + geometry_.pages_per_block - 1) / geometry_.pages_per_block + kept + 1 +
               page_ftl_padding(geometry_) <=
           geometry_.blocks_per_plane - geometry_.slc_blocks - planes_[raw(plane)].bad;
}

std::uint32_t FlashSpace::valid_in_flash(BlockId in_flash, const PageMapIf& map) const {
    if (step_.width() == 1) {
        return blocks_[raw(in_flash)].valid;
    }
    std::uint32_t valid = 0;
    for (std::uint32_t i = 0; i < geometry_.pages_per_block / step_.width(); ++i) {
        valid += map.count_valid(step_.page(in_flash, i), 1);
    }
    return valid;
}

Ppn FlashSpace::in_step(Ppn in_flash) const {
    const std::uint32_t pages = geometry_.pages_per_block / step_.width(); // of a block in flash
    return step_.page(BlockId{static_cast<std::uint32_t>(raw(in_flash) / pages)},
                      static_cast<std::uint32_t>(raw(in_flash) % pages));
}

void FlashSpace::refresh(Ppn in_flash) {
    const BlockId block = block_of(in_step(in_flash));
    refresh_->ask(block, plane_of(block));
}

// ---- frontiers ----------------------------------------------------------------------------------

void FlashSpace::open(Frontier& frontier, PlaneId plane) {
    const auto stream = static_cast<Stream>(&frontier - &this->frontier(plane, 0));
    const bool for_cold = streams_.levels && stream == streams_.leveled();
    const BlockId block = for_cold ? pool_.take_most_worn(plane) : pool_.take(plane);
    const std::uint64_t first = raw(geometry_.page(block, 0));
    const std::uint64_t end = first + geometry_.pages_per_block;
    BlockState& state = blocks_[raw(block)];
    frontier = {raw(block), first, first, end, end};
    if (can_fail()) {
        std::uint32_t page = 0;
        while (page < geometry_.pages_per_block &&
               !faults_->program_fails(block, page, state.erases)) {
            ++page;
        }
        frontier.fail = first + page;
    }
    state.use = BlockUse::kOpen;
    state.tables = streams_.tables && stream == streams_.table();
    victims_->on_open(plane, block);
}

void FlashSpace::prepare(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    while (frontier.next == frontier.fail) {
        if (frontier.is_open()) {
            fail_program(frontier, plane, ops);
        } else if (pool_.count(plane) == 0) {
            refuse(plane);
        } else {
            open(frontier, plane);
        }
    }
}

void FlashSpace::give_up(Frontier& frontier, PlaneId plane) {
    CAVERN_CHECK(frontier.is_open(), "a stream without an open block is closed");
    frontier.next = frontier.stop = frontier.fail = frontier.end;
    close(frontier, plane);
}

void FlashSpace::close(Frontier& frontier, PlaneId plane) {
    BlockState& block = blocks_[frontier.block];
    block.use = BlockUse::kClosed;
    if (block.valid < geometry_.pages_per_block) {
        victims_->on_garbage(plane, BlockId{frontier.block});
    }
    if (wear_ != nullptr) {
        wear_->on_close(plane, BlockId{frontier.block}, block.erases);
    }
}

void FlashSpace::complete_page(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    while (frontier.is_open() && frontier.next % together_ != 0) {
        const Ppn page = step_.in_flash(Ppn{frontier.next++});
        ops.push_back({FlashOpKind::kProgram, Origin::kPadding, page});
        ++counters_.padding_pages;
        frontier.stop = std::max(frontier.stop, frontier.next);
        if (!frontier.is_open()) {
            close(frontier, plane);
        }
    }
}

void FlashSpace::complete_pages(FlashOpList& ops) {
    for (const PlaneId plane : begun_) {
        for (Stream stream = 0; stream < streams_.count(); ++stream) {
            complete_page(frontier(plane, stream), plane, ops);
        }
    }
    begun_.clear();
}

void FlashSpace::complete_copies(FlashOpList& ops) {
    for (const PlaneId plane : begun_) {
        for (Stream stream = 0; stream < streams_.count(); ++stream) {
            if (!streams_.is_of_host(stream)) {
                complete_page(frontier(plane, stream), plane, ops);
            }
        }
    }
}

// ---- emptied blocks -----------------------------------------------------------------------------

std::optional<BlockId> FlashSpace::uneven(PlaneId plane) {
    return wear_->uneven(plane, blocks_, geometry_.block(plane, geometry_.slc_blocks),
                         geometry_.block(plane, pool_.first_fresh(plane)));
}

void FlashSpace::begin_emptying(BlockId block, PlaneId plane) {
    BlockState& state = blocks_[raw(block)];
    if (state.valid < geometry_.pages_per_block) {
        victims_->on_collect(plane, block);
    }
    // Not a candidate while its pages go: invalidate() must not report it again.
    state.use = BlockUse::kEmptied;
}

void FlashSpace::erase_in_flash(BlockId block, Origin origin, std::int32_t after,
                                FlashOpList& ops) {
    const std::uint32_t pages = geometry_.pages_per_block / step_.width();
    for (std::uint32_t i = 0; i < step_.width(); ++i) {
        ops.push_back({FlashOpKind::kErase, origin,
                       Ppn{std::uint64_t{raw(step_.block_in_flash(block, i))} * pages}, kNoLpn,
                       after});
    }
    counters_.erases += step_.width();
}

void FlashSpace::erase(BlockId block, PlaneId plane, Origin origin, std::int32_t after,
                       FlashOpList& ops) {
    BlockState& state = blocks_[raw(block)];
    CAVERN_CHECK(state.valid == 0, block_name(block) + " is erased with valid pages in it");
    erase_in_flash(block, state.tables ? Origin::kMapping : origin, after, ops);
    const bool fails = faults_ != nullptr && faults_->erase_fails(block, state.erases);
    ++state.erases;
    if (fails) {
        ++counters_.failed_erases;
        retire(block, plane);
        return;
    }
    if (refresh_ != nullptr) {
        refresh_->forget(block, plane);
    }
    state.use = BlockUse::kFree;
    pool_.give_back(block);
    if (wear_ != nullptr) {
        wear_->on_erase(plane, state.erases);
    }
}

// ---- failures -----------------------------------------------------------------------------------

void FlashSpace::fail_program(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
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

void FlashSpace::retire(BlockId block, PlaneId plane) {
    blocks_[raw(block)].use = BlockUse::kBad;
    if (refresh_ != nullptr) {
        refresh_->forget(block, plane);
    }
    ++planes_[raw(plane)].bad;
    if (log_ != nullptr) {
        log_->retire(block);
    }
}

void FlashSpace::refuse(PlaneId plane) const {
    const std::string what = "plane " + std::to_string(raw(plane));
    const std::uint32_t bad = planes_[raw(plane)].bad;
    CAVERN_CHECK(bad != 0, what + " has no room for a page");
    throw worn_out(what, bad, geometry_.blocks_per_plane);
}

std::exception_ptr FlashSpace::lack_of_room() const {
    const BadBlocks bad = bad_blocks();
    return bad.factory + bad.grown == 0
               ? nullptr
               : std::make_exception_ptr(
                     worn_out("the drive", bad.factory + bad.grown, geometry_.blocks()));
}

BadBlocks FlashSpace::bad_blocks() const {
    BadBlocks bad;
    for (const Plane& plane : planes_) {
        bad.grown += plane.bad;
    }
    bad.factory = factory_bad().size();
    bad.grown -= bad.factory;
    return bad;
}

bool FlashSpace::has_grown_bad(PlaneId plane) const {
    std::uint32_t bad = planes_[raw(plane)].bad;
    for (std::uint32_t i = 0; bad != 0 && i < geometry_.blocks_per_plane; ++i) {
        bad -= faults_->is_factory_bad(geometry_.block(plane, i)) ? 1 : 0;
    }
    return bad != 0;
}

std::vector<BlockId> FlashSpace::factory_bad() const {
    std::vector<BlockId> bad;
    for (std::uint32_t block = 0; faults_ != nullptr && block < geometry_.blocks(); ++block) {
        if (faults_->is_factory_bad(BlockId{block})) {
            bad.push_back(BlockId{block});
        }
    }
    return bad;
}

} // namespace cavern
