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
        collect(plane, ops);
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
            make_room_to_move(plane, store_.valid_pages(*victim), ops);
        }
        relocate(*victim, plane, ops);
    }
}

// A victim of data takes at most a block for its pages and one for translation pages, and gives one
// back. The pool can shrink by that, but only as translation pages leave garbage behind: packed,
// they fill the fewest blocks they can, and the data alone has never had less room than PageFtl
// would leave it (dftl_why_not).
void Dftl::make_room_to_move(PlaneId plane, std::uint32_t pages, FlashOpList& ops) {
    const auto blocks_needed = [&] {
        return (pages > store_.room(plane, copies_) ? 1u : 0u) +
               (pages > store_.room(plane, Stream::kTable) ? 1u : 0u);
    };
    while (store_.free_blocks(plane) < blocks_needed()) {
        const std::optional<BlockId> victim = store_.table_victim(plane);
        CAVERN_CHECK(victim.has_value(), name(plane) + " has no room to collect");
        relocate(*victim, plane, ops);
    }
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
    const std::int32_t last =
        ops.size() > first ? static_cast<std::int32_t>(ops.size()) - 1 : FlashOp::kNone;
    store_.release(victim);
    ops.push_back({FlashOpKind::kErase, tables ? Origin::kMapping : Origin::kGc,
                   store_.geometry().page(victim, 0), kNoLpn, last});
    ++counters_.gc_runs;
    ++counters_.erases;
    ++(tables ? cached_.table_collections : cached_.data_collections);
}

std::uint32_t Dftl::move_data(BlockId victim, PlaneId plane, FlashOpList& ops) {
    const Geometry& geometry = store_.geometry();
    const std::uint32_t valid = store_.valid_pages(victim);
    std::uint32_t copies = 0;
    moved_.clear();
    for (std::uint32_t i = 0; i < geometry.pages_per_block && copies < valid; ++i) {
        const Ppn from = geometry.page(victim, i);
        const std::uint32_t owner = store_.owner(from);
        const Lpn lpn{owner};
        const std::uint32_t entry = cache_.find(lpn);
        const bool cached = entry != MappingCache::kNone;
        if ((cached ? cache_.place(entry) : flash_.place(lpn)) != raw(from) + 1) {
            continue;
        }
        const Ppn to = copy(from, plane, copies_, owner, Origin::kGc, ops);
        if (cached) {
            // Of an entry just made: now it knows the place.
            cache_.set_unseen(entry, hides_garbage(entry));
            cache_.change(entry, raw(to) + 1);
            ++cached_.lazy_copies;
        } else {
            moved_.push_back({flash_.table_of(lpn), owner, raw(to) + 1});
        }
        ++copies;
    }
    counters_.gc_pages += copies;
    cached_.data_copies += copies;
    update_moved(plane, ops);
    return copies;
}

void Dftl::update_moved(PlaneId plane, FlashOpList& ops) {
    std::sort(moved_.begin(), moved_.end(), [](const Moved& a, const Moved& b) {
        return a.table != b.table ? a.table < b.table : a.lpn < b.lpn;
    });
    for (std::size_t i = 0; i < moved_.size();) {
        const std::uint32_t table = moved_[i].table;
        if (store_.room(plane, Stream::kTable) == 0) {
            store_.open(plane, Stream::kTable);
        }
        rewrite(table, ops);
        std::uint32_t entries = 0;
        for (; i < moved_.size() && moved_[i].table == table; ++i, ++entries) {
            flash_.set_place(Lpn{moved_[i].lpn}, moved_[i].place);
        }
        ++cached_.gc_batches;
        cached_.gc_batch_entries += entries;
        if (log_ != nullptr) {
            log_->map(MapEvent::kBatch, table, entries);
        }
    }
}

std::uint32_t Dftl::move_tables(BlockId victim, PlaneId plane, FlashOpList& ops) {
    const Geometry& geometry = store_.geometry();
    const std::uint32_t valid = store_.valid_pages(victim);
    std::uint32_t copies = 0;
    for (std::uint32_t i = 0; i < geometry.pages_per_block && copies < valid; ++i) {
        const Ppn from = geometry.page(victim, i);
        const std::uint32_t owner = store_.owner(from);
        const std::uint32_t table = flash_.table_numbered(Lpn{owner});
        if (flash_.place_of_table(table) != raw(from) + 1) {
            continue;
        }
        const Ppn to = copy(from, plane, Stream::kTable, owner, Origin::kMapping, ops);
        flash_.set_place_of_table(table, to);
        ++copies;
    }
    counters_.map_pages_read += copies;
    counters_.map_pages_written += copies;
    cached_.table_copies += copies;
    return copies;
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
