#include "core/ftl/block_store.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

BlockStore::BlockStore(const Geometry& geometry, bool strict_order, DecisionLogIf* log)
    : geometry_(geometry), strict_order_(strict_order), log_(log), pool_(geometry),
      free_total_(geometry.blocks()), blocks_(geometry.blocks()) {
    CAVERN_CHECK(geometry.pages_per_block <= 0xFFFFu && geometry.pages() < 0xFFFF'FFFFu,
                 "blocks or drive are too large for the map");
}

std::optional<DieId> BlockStore::die_near(std::optional<DieId> die) const {
    for (std::uint32_t i = 0; die && i < geometry_.planes_per_die; ++i) {
        if (free_blocks(geometry_.plane(*die, i)) == 0) {
            return std::nullopt;
        }
    }
    return die;
}

BlockId BlockStore::take_anywhere() {
    const std::uint32_t planes = geometry_.planes();
    std::uint32_t best = turn_;
    for (std::uint32_t i = 1; i < planes; ++i) {
        const std::uint32_t plane = (turn_ + i) % planes;
        if (free_blocks(PlaneId{plane}) > free_blocks(PlaneId{best})) {
            best = plane;
        }
    }
    turn_ = (best + 1) % planes;
    return take(PlaneId{best});
}

Ppn BlockStore::program(BlockId block, std::uint32_t page, Lpn lpn, Origin origin, Ppn newest,
                        FlashOpList& ops) {
    const bool copies = origin == Origin::kPadding && newest != kNoPpn;
    return copies ? copy(newest, block, page, lpn, origin, ops)
                  : append(block, page, lpn, origin, FlashOp::kNone, newest, ops);
}

FilledRun BlockStore::fill(BlockId block, Lpn first, std::uint32_t count) {
    Block& state = blocks_[raw(block)];
    CAVERN_CHECK(state.next == 0 && count <= geometry_.pages_per_block,
                 "block " + std::to_string(raw(block)) + " is filled from its middle on");
    state.next = static_cast<std::uint16_t>(count);
    counters_.host_pages += count;
    const Ppn page = geometry_.page(block, 0);
    for (std::uint32_t i = 0; log_ != nullptr && i < count; ++i) {
        log_->program(Origin::kHost, Lpn{raw(first) + i}, Ppn{raw(page) + i});
    }
    return {page, first, count};
}

Ppn BlockStore::copy(Ppn from, BlockId block, std::uint32_t page, Lpn lpn, Origin origin,
                     FlashOpList& ops) {
    const auto read = static_cast<std::int32_t>(ops.size());
    ops.push_back({FlashOpKind::kRead, origin, from, lpn});
    return append(block, page, lpn, origin, read, from, ops);
}

Ppn BlockStore::append(BlockId block, std::uint32_t page, Lpn lpn, Origin origin, std::int32_t read,
                       Ppn newest, FlashOpList& ops) {
    Block& state = blocks_[raw(block)];
    CAVERN_CHECK(page >= state.next && page < geometry_.pages_per_block,
                 "page " + std::to_string(page) + " of block " + std::to_string(raw(block)) +
                     " is chosen while page " + std::to_string(state.next) + " is next");
    while (strict_order_ && state.next < page) {
        const Ppn hole = geometry_.page(block, state.next++); // of no logical page: not logged
        count_program(Origin::kPadding);
        ops.push_back({FlashOpKind::kProgram, Origin::kPadding, hole});
    }
    state.next = static_cast<std::uint16_t>(page + 1);
    const Ppn place = geometry_.page(block, page);
    count_program(origin);
    if (log_ != nullptr) {
        log_->program(origin, lpn, place);
    }
    ops.push_back(FlashOp::copy(origin, newest, place, lpn, read));
    ops.back().copies = read != FlashOp::kNone;
    return place;
}

void BlockStore::count_program(Origin origin) {
    switch (origin) {
    case Origin::kHost:
        ++counters_.host_pages;
        return;
    case Origin::kGc:
        ++counters_.gc_pages;
        return;
    case Origin::kMerge:
        ++counters_.merge_pages;
        return;
    case Origin::kPadding:
        ++counters_.padding_pages;
        return;
    default:
        CAVERN_CHECK(false, "a program has an origin that is not counted");
    }
}

void BlockStore::erase(BlockId block, std::int32_t after, FlashOpList& ops) {
    Block& state = blocks_[raw(block)];
    state.next = 0;
    ++state.erases;
    pool_.give_back(block);
    ++free_total_;
    ++counters_.erases;
    ops.push_back({FlashOpKind::kErase, Origin::kMerge, geometry_.page(block, 0), kNoLpn, after});
}

void BlockStore::count_merge(MergeKind kind, Lbn unit, std::uint32_t copies, std::uint32_t erases) {
    switch (kind) {
    case MergeKind::kSwitch:
        ++counters_.merges_switch;
        break;
    case MergeKind::kPartial:
        ++counters_.merges_partial;
        break;
    case MergeKind::kFull:
        ++counters_.merges_full;
        break;
    }
    if (log_ != nullptr) {
        log_->merge(kind, unit, copies, erases);
    }
}

void BlockStore::count_reclaim(BlockId block) {
    ++counters_.gc_runs;
    if (log_ != nullptr) {
        log_->gc(block, 0);
    }
}

void BlockStore::mount(const MountedDrive& drive) {
    pool_.take_all();
    free_total_ = 0;
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        blocks_[block].erases = drive.blocks[block].erases;
        blocks_[block].next = static_cast<std::uint16_t>(drive.blocks[block].next);
        if (drive.blocks[block].next == 0) {
            pool_.give_back(BlockId{block});
            ++free_total_;
        }
    }
    choose_kept();
}

void BlockStore::keep_blocks(std::uint32_t count) {
    keeps_ = count;
    choose_kept();
}

void BlockStore::keep_block_of_each_plane() {
    keeps_of_planes_ = true;
    choose_kept();
}

void BlockStore::choose_kept() {
    kept_.clear();
    for (std::uint32_t plane = 0; keeps_of_planes_ && plane < geometry_.planes(); ++plane) {
        kept_.push_back(take(PlaneId{plane}));
    }
    for (std::uint32_t i = 0; i < keeps_; ++i) {
        kept_.push_back(take_anywhere());
    }
}

std::uint64_t BlockStore::check_invariants(const std::vector<bool>& by_layer) const {
    CAVERN_CHECK(by_layer.size() == geometry_.blocks(), "every block is free or in use");
    std::vector<bool> in_use = by_layer;
    for (const BlockId block : kept_) {
        CAVERN_CHECK(!in_use[raw(block)], "a block that is kept is used");
        in_use[raw(block)] = true;
    }
    std::uint64_t facts = 1;
    std::uint32_t free = 0;
    for (std::uint32_t p = 0; p < geometry_.planes(); ++p) {
        const PlaneId plane{p};
        free += free_blocks(plane);
        for (const BlockId block : pool_.list(plane)) {
            CAVERN_CHECK(!in_use[raw(block)] && next_page(block) == 0,
                         "block " + std::to_string(raw(block)) + " is in the free pool and in use");
        }
        std::uint32_t used = 0;
        for (std::uint32_t i = 0; i < geometry_.blocks_per_plane; ++i) {
            used += in_use[raw(geometry_.block(plane, i))] ? 1 : 0;
        }
        CAVERN_CHECK(used + free_blocks(plane) == geometry_.blocks_per_plane,
                     "plane " + std::to_string(p) + " has " + std::to_string(used) +
                         " blocks in use and " + std::to_string(free_blocks(plane)) + " free of " +
                         std::to_string(geometry_.blocks_per_plane));
        facts += geometry_.blocks_per_plane + 1;
    }
    CAVERN_CHECK(free == free_total_, "the free blocks of all planes are not those counted");
    return facts;
}

} // namespace cavern
