// Collection in steps: a block is emptied while the host writes.

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/dftl.h"

namespace cavern {

namespace {

/// Work and gain of a victim count for a quarter of their averages.
constexpr std::int64_t kAveraged = 4;

} // namespace

std::uint64_t Dftl::pages_to_fill(PlaneId plane) const {
    return std::uint64_t{store_.free_blocks(plane)} * store_.geometry().pages_per_block +
           store_.room(plane, Stream::kHost) +
           (copies_ != Stream::kHost ? store_.room(plane, copies_) : 0);
}

void Dftl::pace(PlaneId plane, FlashOpList& ops) {
    Emptying& task = emptying_[raw(plane)];
    const std::uint32_t block = store_.geometry().pages_per_block;
    if (task.block == 0 && pages_to_fill(plane) <= std::uint64_t{gc_high_ + 1} * block) {
        begin_victim(plane);
    }
    if (task.block == 0) {
        return;
    }
    // Where the victims have hardly brought anything, those of translation pages will.
    const auto gain = static_cast<std::uint64_t>(
        std::max(task.gain, kAveraged * std::max<std::int64_t>(block / 8, 1)));
    task.owed += static_cast<std::uint64_t>(task.work);
    const auto due = static_cast<std::uint32_t>(task.owed / gain);
    task.owed %= gain;
    empty(plane, due, ops);
}

void Dftl::empty_whole(PlaneId plane, Stream stream, FlashOpList& ops) {
    while (store_.room(plane, stream) == 0 && store_.free_blocks(plane) <= gc_low_) {
        if (emptying_[raw(plane)].block == 0 && !begin_victim(plane)) {
            return;
        }
        empty(plane, 2 * store_.geometry().pages_per_block, ops);
    }
}

bool Dftl::begin_victim(PlaneId plane) {
    const std::optional<BlockId> victim = store_.victim(plane);
    if (!victim) {
        return false;
    }
    const bool tables = store_.holds_tables(*victim);
    if (lazy_ && !tables) {
        uncover(*victim);
    }
    const std::int64_t work = store_.valid_pages(*victim) + (tables ? 0 : tables_of(*victim));
    const std::int64_t gain = std::int64_t{store_.geometry().pages_per_block} - work;
    store_.begin_collect(*victim);
    Emptying& task = emptying_[raw(plane)];
    const bool first = task.work == 0;
    task.work += first ? kAveraged * work : work - task.work / kAveraged;
    task.gain += first ? kAveraged * gain : gain - task.gain / kAveraged;
    task.block = raw(*victim) + 1;
    task.next = 0;
    task.copied = 0;
    task.owed = 0;
    return true;
}

std::uint32_t Dftl::tables_of(BlockId block) {
    moved_.clear();
    for (std::uint32_t i = 0; i < store_.geometry().pages_per_block; ++i) {
        const Ppn page = store_.geometry().page(block, i);
        const Lpn lpn{store_.owner(page)};
        if (flash_.place(lpn) == raw(page) + 1 && cache_.find(lpn) == MappingCache::kNone) {
            moved_.push_back({flash_.table_of(lpn), 0});
        }
    }
    std::sort(moved_.begin(), moved_.end(),
              [](const Moved& a, const Moved& b) { return a.table < b.table; });
    const auto last = std::unique(moved_.begin(), moved_.end(), [](const Moved& a, const Moved& b) {
        return a.table == b.table;
    });
    return static_cast<std::uint32_t>(last - moved_.begin());
}

// A victim takes a block for its copies and one for translation pages at most, as in a burst. But
// the host goes on meanwhile: its look-ups fill the block of translation pages, and its pages the
// block of the copies if they share one. So when the last free block has been taken, or when what
// is left would need one more after another page of the host, nothing may come between the victim
// and what it gives back.
void Dftl::empty(PlaneId plane, std::uint32_t units, FlashOpList& ops) {
    Emptying& task = emptying_[raw(plane)];
    const BlockId block{task.block - 1};
    std::int32_t last = FlashOp::kNone;
    if (left(task) != 0 && !store_.holds_tables(block)) {
        make_room_to_move(plane, store_.valid_pages(block), tables_left(task), ops);
    }
    for (std::uint32_t done = 0; left(task) != 0 && (done < units || !host_may_go_on(plane));) {
        if (empty_a_page(plane, ops)) {
            ++done;
            last = static_cast<std::int32_t>(ops.size()) - 1;
        }
    }
    if (left(task) == 0) {
        if (log_ != nullptr) {
            log_->gc(block, task.copied);
        }
        task.block = 0;
        erase(block, last, ops);
    }
}

bool Dftl::host_may_go_on(PlaneId plane) const {
    const Emptying& task = emptying_[raw(plane)];
    const BlockId block{task.block - 1};
    const bool shares = copies_ == Stream::kHost && !store_.holds_tables(block);
    return store_.free_blocks(plane) != 0 &&
           (!shares || store_.free_blocks(plane) >=
                           blocks_to_move(plane, store_.valid_pages(block), tables_left(task), 1));
}

bool Dftl::empty_a_page(PlaneId plane, FlashOpList& ops) {
    Emptying& task = emptying_[raw(plane)];
    const BlockId block{task.block - 1};
    if (store_.valid_pages(block) == 0) { // what is left is in the map
        const auto first =
            std::min_element(task.moved.begin(), task.moved.end(),
                             [](const Moved& a, const Moved& b) { return a.table < b.table; });
        const std::uint32_t table = first->table;
        update_table(table, settle(table), plane, ops);
        return true;
    }
    CAVERN_CHECK(task.next < store_.geometry().pages_per_block,
                 "block " + std::to_string(raw(block)) + " has fewer valid pages than counted");
    const Ppn from = store_.geometry().page(block, task.next++);
    if (store_.holds_tables(block)) {
        const bool valid = move_table(from, plane, ops);
        task.copied += valid ? 1 : 0;
        return valid;
    }
    const Lpn lpn{store_.owner(from)};
    if (const std::uint32_t entry = cache_.find(lpn);
        lazy_ && hides_garbage(entry) && flash_.place(lpn) == raw(from) + 1) {
        store_.invalidate(from); // superseded since the victim was chosen
        cache_.set_unseen(entry, false);
        return false;
    }
    const bool valid = move_page(from, plane, task.moved, ops);
    task.copied += valid ? 1 : 0;
    return valid;
}

std::uint32_t Dftl::settle(std::uint32_t table) {
    std::vector<Moved>& moved = emptying_[raw(flash_.plane_of_table(table))].moved;
    const auto kept = std::remove_if(moved.begin(), moved.end(),
                                     [&](const Moved& each) { return each.table == table; });
    const auto entries = static_cast<std::uint32_t>(moved.end() - kept);
    moved.erase(kept, moved.end());
    return entries;
}

} // namespace cavern
