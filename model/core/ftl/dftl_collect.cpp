// Collection: pages of data are moved, and their translation pages rewritten; and translation
// pages.

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/dftl.h"

namespace cavern {

std::uint32_t Dftl::count_valid(Ppn first, std::uint32_t count) const {
    std::uint32_t valid = 0;
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        const Lpn owner = space_.owner(Ppn{page});
        valid += location(owner) == Ppn{page} ||
                         (!flash_.is_table(owner) && flash_.place(owner) == page + 1 &&
                          hides_garbage(cache_.find(owner)))
                     ? 1
                     : 0;
    }
    return valid;
}

void Dftl::look_at(BlockId block) {
    if (lazy_ && !space_.block(block).tables) {
        uncover(block);
    }
}

std::uint32_t Dftl::work_of(BlockId block) {
    const std::uint32_t valid = space_.block(block).valid;
    if (space_.block(block).tables) {
        return valid;
    }
    tables_.clear();
    for (std::uint32_t i = 0; i < space_.geometry().pages_per_block; ++i) {
        const Ppn page = space_.geometry().page(block, i);
        const Lpn lpn = space_.owner(page);
        if (!flash_.is_table(lpn) && flash_.place(lpn) == raw(page) + 1 &&
            cache_.find(lpn) == MappingCache::kNone) {
            tables_.push_back(flash_.table_of(lpn));
        }
    }
    std::sort(tables_.begin(), tables_.end());
    const auto last = std::unique(tables_.begin(), tables_.end());
    return valid + static_cast<std::uint32_t>(last - tables_.begin());
}

// A victim of data takes at most a block for its pages and one for translation pages, and gives one
// back. The pool can shrink by that, but only as translation pages leave garbage behind: packed,
// they fill the fewest blocks they can, and the data alone has never had less room than PageFtl
// would leave it (dftl_why_not). That garbage may lie in the open block, when no other has any:
// then the block is given up before it is full.
void Dftl::make_room_to_move(const Emptying& task, PlaneId plane, FlashOpList& ops) {
    if (space_.block(task.block()).tables) {
        return;
    }
    while (space_.free_blocks(plane) < blocks_to_move(task, plane, 0)) {
        std::optional<BlockId> victim = space_.table_victim(plane);
        Frontier& tables = space_.frontier(plane, space_.streams().table());
        if (!victim && space_.free_blocks(plane) != 0 && space_.garbage_in(tables) != 0) {
            space_.give_up(tables, plane);
            victim = space_.table_victim(plane);
        }
        if (!victim) {
            space_.refuse(plane);
        }
        collector_.relocate(*victim, plane, Origin::kGc, ops);
    }
}

std::uint32_t Dftl::blocks_to_move(const Emptying& task, PlaneId plane, std::uint32_t host) const {
    const std::uint32_t pages = space_.block(task.block()).valid;
    // At once it is not known how many translation pages there are until the pages have been moved.
    const std::uint32_t tables =
        collector_.goes_in_steps()
            ? std::min(left(task.block(), plane), flash_.tables() / flash_.planes())
            : pages;
    const auto need = [&](std::uint32_t count, Stream stream) {
        return count != 0 && count + host > space_.room(plane, stream) ? 1u : 0u;
    };
    return need(pages, stream_of(task)) + need(tables, space_.streams().table());
}

// A victim takes a block for its copies and one for translation pages at most, as in a burst. But
// the host goes on meanwhile: its look-ups fill the block of translation pages, and its pages the
// block of the copies if they share one. So when the last free block has been taken, or when what
// is left would need one more after another page of the host, nothing may come between the victim
// and what it gives back.
bool Dftl::host_may_go_on(const Emptying& task, PlaneId plane) const {
    const bool shares = stream_of(task) == Streams::kHost && !space_.block(task.block()).tables;
    const std::uint32_t free = space_.free_blocks(plane);
    return free != 0 && (!shares || free >= blocks_to_move(task, plane, 1));
}

bool Dftl::move(Emptying& task, PlaneId plane, std::uint32_t units, FlashOpList& ops) {
    const BlockId block = task.block();
    const bool tables = space_.block(block).tables;
    const auto is_left = [&] {
        return tables ? space_.block(block).valid != 0 : left(block, plane) != 0;
    };
    for (std::uint32_t done = 0; is_left() && (done < units || !host_may_go_on(task, plane));) {
        if (move_one(task, plane, ops)) {
            ++done;
            task.last = static_cast<std::int32_t>(ops.size()) - 1;
        }
    }
    if (is_left()) {
        return false;
    }
    if (task.origin == Origin::kGc) {
        ++(tables ? cached_.table_collections : cached_.data_collections);
    }
    return true;
}

bool Dftl::move_one(Emptying& task, PlaneId plane, FlashOpList& ops) {
    const BlockId block = task.block();
    std::vector<Moved>& moved = moved_[raw(plane)];
    if (space_.block(block).valid == 0) { // what is left is in the map
        const auto first =
            std::min_element(moved.begin(), moved.end(),
                             [](const Moved& a, const Moved& b) { return a.table < b.table; });
        const std::uint32_t table = first->table;
        update_table(table, settle(table), plane, ops);
        return true;
    }
    CAVERN_CHECK(task.next < space_.geometry().pages_per_block,
                 block_name(block) + " has fewer valid pages than counted");
    const Ppn from = space_.geometry().page(block, task.next++);
    if (lazy_ && !space_.block(block).tables && uncover(from)) {
        return false; // superseded since the victim was chosen
    }
    const bool valid = space_.block(block).tables ? move_table(from, task, plane, ops)
                                                  : move_page(from, task, plane, ops);
    task.copied += valid ? 1 : 0;
    return valid;
}

bool Dftl::move_page(Ppn from, const Emptying& task, PlaneId plane, FlashOpList& ops) {
    const Lpn lpn = space_.owner(from);
    if (flash_.is_table(lpn)) {
        return false; // of the former life of a block that was given up before it was full
    }
    const std::uint32_t entry = cache_.find(lpn);
    const bool cached = entry != MappingCache::kNone;
    if ((cached ? cache_.place(entry) : flash_.place(lpn)) != raw(from) + 1) {
        return false;
    }
    const Ppn to = copy(from, plane, stream_of(task), lpn, task.origin, ops);
    const auto place = static_cast<std::uint32_t>(raw(to) + 1);
    if (cached) {
        // Of an entry just made: now it knows the place.
        cache_.set_unseen(entry, hides_garbage(entry));
        cache_.change(entry, place);
        ++cached_.lazy_copies;
    } else {
        flash_.set_place(lpn, place);
        moved_[raw(plane)].push_back({flash_.table_of(lpn), static_cast<std::uint32_t>(raw(lpn))});
    }
    ++space_.counters().moved_by(task.origin);
    cached_.data_copies += task.origin == Origin::kGc ? 1 : 0;
    return true;
}

void Dftl::update_table(std::uint32_t table, std::uint32_t entries, PlaneId plane,
                        FlashOpList& ops) {
    Frontier& tables = space_.frontier(plane, space_.streams().table());
    if (tables.next == tables.fail) {
        space_.prepare(tables, plane, ops);
    }
    rewrite(table, tables, ops);
    ++cached_.gc_batches;
    cached_.gc_batch_entries += entries;
    if (log_ != nullptr) {
        log_->map(MapEvent::kBatch, table, entries);
    }
}

bool Dftl::move_table(Ppn from, const Emptying& task, PlaneId plane, FlashOpList& ops) {
    const Lpn owner = space_.owner(from);
    if (!flash_.is_table(owner)) {
        return false;
    }
    const std::uint32_t table = flash_.table_numbered(owner);
    if (flash_.place_of_table(table) != raw(from) + 1) {
        return false;
    }
    flash_.set_place_of_table(
        table, copy(from, plane, space_.streams().table(), owner, Origin::kMapping, ops));
    ++own_.map_pages_read;
    ++own_.map_pages_written;
    cached_.table_copies += task.origin != Origin::kRescue ? 1 : 0;
    return true;
}

Ppn Dftl::copy(Ppn from, PlaneId plane, Stream stream, Lpn owner, Origin origin, FlashOpList& ops) {
    Frontier& into = space_.frontier(plane, stream);
    if (into.next == into.fail) {
        space_.prepare(into, plane, ops);
    }
    space_.leave(space_.block_of(from), 1);
    const Ppn to = space_.append(into, plane, owner);
    if (log_ != nullptr) {
        log_->program(origin, owner, to);
    }
    push_copy(origin, from, to, owner, ops);
    return to;
}

std::uint32_t Dftl::settle(std::uint32_t table) {
    std::vector<Moved>& moved = moved_[raw(flash_.plane_of_table(table))];
    const auto kept = std::remove_if(moved.begin(), moved.end(),
                                     [&](const Moved& each) { return each.table == table; });
    const auto entries = static_cast<std::uint32_t>(moved.end() - kept);
    moved.erase(kept, moved.end());
    return entries;
}

} // namespace cavern
