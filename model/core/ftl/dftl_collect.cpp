// Collection: victims of data, whose translation pages are rewritten, and of translation pages.

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/dftl.h"

namespace cavern {

namespace {

/// Data and translation pages each may need a block while a victim is emptied.
constexpr std::uint32_t kNeeded = 3;

std::string name(PlaneId plane) {
    return "plane " + std::to_string(raw(plane));
}

} // namespace

void Dftl::open_block(PlaneId plane, Stream stream, FlashOpList& ops) {
    if (store_.free_blocks(plane) <= gc_low_) {
        emptying_.empty() ? collect(plane, ops) : empty_whole(plane, stream, ops);
    }
    if (store_.room(plane, stream) == 0) {
        CAVERN_CHECK(store_.free_blocks(plane) >= kNeeded, name(plane) + " has no room for a page");
        store_.open(plane, stream);
    }
}

void Dftl::collect(PlaneId plane, FlashOpList& ops) {
    while (store_.free_blocks(plane) < gc_high_) {
        const std::optional<BlockId> victim = store_.victim(plane);
        if (!victim) {
            return;
        }
        if (!store_.holds_tables(*victim)) {
            const std::uint32_t pages = store_.valid_pages(*victim);
            make_room_to_move(plane, pages, pages, ops);
        }
        relocate(*victim, plane, ops);
    }
}

// A victim of data takes at most a block for its pages and one for translation pages, and gives one
// back. The pool can shrink by that, but only as translation pages leave garbage behind: packed,
// they fill the fewest blocks they can, and the data alone has never had less room than PageFtl
// would leave it (dftl_why_not). That garbage may lie in the open block, when no other has any:
// then the block is given up before it is full.
void Dftl::make_room_to_move(PlaneId plane, std::uint32_t pages, std::uint32_t tables,
                             FlashOpList& ops) {
    while (store_.free_blocks(plane) < blocks_to_move(plane, pages, tables, 0)) {
        std::optional<BlockId> victim = store_.table_victim(plane);
        if (!victim && store_.free_blocks(plane) != 0 &&
            store_.garbage(plane, Stream::kTable) != 0) {
            store_.close(plane, Stream::kTable);
            victim = store_.table_victim(plane);
        }
        CAVERN_CHECK(victim.has_value(), name(plane) + " has no room to collect");
        relocate(*victim, plane, ops);
    }
}

std::uint32_t Dftl::blocks_to_move(PlaneId plane, std::uint32_t pages, std::uint32_t tables,
                                   std::uint32_t host) const {
    const auto need = [&](std::uint32_t count, Stream stream) {
        return count != 0 && count + host > store_.room(plane, stream) ? 1u : 0u;
    };
    return need(pages, copies_) + need(tables, Stream::kTable);
}

void Dftl::relocate(BlockId victim, PlaneId plane, FlashOpList& ops) {
    const bool tables = store_.holds_tables(victim);
    if (lazy_ && !tables) {
        uncover(victim);
    }
    const std::uint32_t copies = store_.valid_pages(victim);
    if (log_ != nullptr) {
        log_->gc(victim, copies);
    }
    store_.begin_collect(victim);
    const std::size_t first = ops.size();
    const std::uint32_t moved =
        tables ? move_tables(victim, plane, ops) : move_data(victim, plane, ops);
    CAVERN_CHECK(moved == copies, "a block has other valid pages than counted");
    erase(victim, ops.size() > first ? static_cast<std::int32_t>(ops.size()) - 1 : FlashOp::kNone,
          ops);
}

void Dftl::erase(BlockId victim, std::int32_t last, FlashOpList& ops) {
    const bool tables = store_.holds_tables(victim);
    store_.release(victim);
    ops.push_back({FlashOpKind::kErase, tables ? Origin::kMapping : Origin::kGc,
                   store_.geometry().page(victim, 0), kNoLpn, last});
    ++counters_.gc_runs;
    ++counters_.erases;
    ++(tables ? cached_.table_collections : cached_.data_collections);
}

bool Dftl::maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) {
    if (store_.free_blocks(plane) >= background_) {
        return false;
    }
    if (!emptying_.empty()) {
        if (emptying_[raw(plane)].block == 0 && !begin_victim(plane)) {
            return false;
        }
        empty(plane, copies, ops);
        return true;
    }
    const std::optional<BlockId> victim = store_.victim(plane);
    if (!victim) {
        return false;
    }
    if (!store_.holds_tables(*victim)) {
        const std::uint32_t pages = store_.valid_pages(*victim);
        make_room_to_move(plane, pages, pages, ops);
    }
    relocate(*victim, plane, ops);
    return true;
}

std::uint32_t Dftl::move_data(BlockId victim, PlaneId plane, FlashOpList& ops) {
    const Geometry& geometry = store_.geometry();
    const std::uint32_t valid = store_.valid_pages(victim);
    std::uint32_t copies = 0;
    moved_.clear();
    for (std::uint32_t i = 0; i < geometry.pages_per_block && copies < valid; ++i) {
        copies += move_page(geometry.page(victim, i), plane, moved_, ops) ? 1 : 0;
    }
    update_moved(plane, ops);
    return copies;
}

bool Dftl::move_page(Ppn from, PlaneId plane, std::vector<Moved>& moved, FlashOpList& ops) {
    const std::uint32_t owner = store_.owner(from);
    const Lpn lpn{owner};
    const std::uint32_t entry = cache_.find(lpn);
    const bool cached = entry != MappingCache::kNone;
    if ((cached ? cache_.place(entry) : flash_.place(lpn)) != raw(from) + 1) {
        return false;
    }
    const Ppn to = copy(from, plane, copies_, owner, Origin::kGc, ops);
    if (cached) {
        // Of an entry just made: now it knows the place.
        cache_.set_unseen(entry, hides_garbage(entry));
        cache_.change(entry, static_cast<std::uint32_t>(raw(to) + 1));
        ++cached_.lazy_copies;
    } else {
        flash_.set_place(lpn, static_cast<std::uint32_t>(raw(to) + 1));
        moved.push_back({flash_.table_of(lpn), owner});
    }
    ++counters_.gc_pages;
    ++cached_.data_copies;
    return true;
}

void Dftl::update_moved(PlaneId plane, FlashOpList& ops) {
    std::sort(moved_.begin(), moved_.end(),
              [](const Moved& a, const Moved& b) { return a.table < b.table; });
    for (std::size_t i = 0; i < moved_.size();) {
        const std::uint32_t table = moved_[i].table;
        std::uint32_t entries = 0;
        for (; i < moved_.size() && moved_[i].table == table; ++i) {
            ++entries;
        }
        update_table(table, entries, plane, ops);
    }
}

void Dftl::update_table(std::uint32_t table, std::uint32_t entries, PlaneId plane,
                        FlashOpList& ops) {
    if (store_.room(plane, Stream::kTable) == 0) {
        store_.open(plane, Stream::kTable);
    }
    rewrite(table, ops);
    ++cached_.gc_batches;
    cached_.gc_batch_entries += entries;
    if (log_ != nullptr) {
        log_->map(MapEvent::kBatch, table, entries);
    }
}

std::uint32_t Dftl::move_tables(BlockId victim, PlaneId plane, FlashOpList& ops) {
    const Geometry& geometry = store_.geometry();
    const std::uint32_t valid = store_.valid_pages(victim);
    std::uint32_t copies = 0;
    for (std::uint32_t i = 0; i < geometry.pages_per_block && copies < valid; ++i) {
        copies += move_table(geometry.page(victim, i), plane, ops) ? 1 : 0;
    }
    return copies;
}

bool Dftl::move_table(Ppn from, PlaneId plane, FlashOpList& ops) {
    const std::uint32_t owner = store_.owner(from);
    const std::uint32_t table = flash_.table_numbered(Lpn{owner});
    if (flash_.place_of_table(table) != raw(from) + 1) {
        return false;
    }
    flash_.set_place_of_table(table,
                              copy(from, plane, Stream::kTable, owner, Origin::kMapping, ops));
    ++counters_.map_pages_read;
    ++counters_.map_pages_written;
    ++cached_.table_copies;
    return true;
}

Ppn Dftl::copy(Ppn from, PlaneId plane, Stream stream, std::uint32_t owner, Origin origin,
               FlashOpList& ops) {
    if (store_.room(plane, stream) == 0) {
        store_.open(plane, stream);
    }
    store_.invalidate(from);
    const Ppn to = store_.append(plane, stream, owner);
    if (log_ != nullptr) {
        log_->program(origin, Lpn{owner}, to);
    }
    const auto read = static_cast<std::int32_t>(ops.size());
    ops.push_back({FlashOpKind::kRead, origin, from, Lpn{owner}});
    ops.push_back(FlashOp::copy(origin, from, to, Lpn{owner}, read));
    return to;
}

} // namespace cavern
