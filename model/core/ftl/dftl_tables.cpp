// Translation pages: written back when a dirty entry leaves the cache, and what reading one tells.

#include "core/base/check.h"
#include "core/ftl/dftl.h"

namespace cavern {

std::int32_t Dftl::evict(FlashOpList& ops) {
    const std::uint32_t victim = cache_.victim();
    std::int32_t read = FlashOp::kNone;
    if (cache_.is_dirty(victim)) {
        read = write_back(cache_.table(victim), ops);
    }
    if (listener_ != nullptr) {
        listener_->on_map_eviction(cache_.lpn(victim));
    }
    cache_.remove(victim);
    ++cached_.evictions;
    return read;
}

std::int32_t Dftl::write_back(std::uint32_t table, FlashOpList& ops) {
    // First of all: collection may make more entries dirty, and move the page.
    const PlaneId plane = flash_.plane_of_table(table);
    const std::int32_t read = rewrite(table, make_room(plane, space_.streams().table(), ops), ops);
    const std::uint32_t entries = write_dirty_entries(table);
    ++cached_.batches;
    cached_.batch_entries += entries;
    if (log_ != nullptr) {
        log_->map(MapEvent::kEvict, table, entries);
    }
    return read;
}

std::uint32_t Dftl::write_dirty_entries(std::uint32_t table) {
    std::uint32_t entries = 0;
    for (std::uint32_t entry = cache_.first_dirty(table); entry != MappingCache::kNone;
         entry = cache_.next_dirty(entry)) {
        flash_.set_place(cache_.lpn(entry), cache_.place(entry));
        ++entries;
    }
    cache_.clean(table);
    return entries;
}

std::int32_t Dftl::rewrite(std::uint32_t table, Frontier& frontier, FlashOpList& ops) {
    if (collector_.goes_in_steps()) {
        settle(table);
    }
    const Lpn number = flash_.number_of(table);
    std::int32_t read = FlashOp::kNone;
    if (const std::uint32_t place = flash_.place_of_table(table); place != 0) {
        const Ppn old{place - 1};
        read = static_cast<std::int32_t>(ops.size());
        ops.push_back({FlashOpKind::kRead, Origin::kMapping, old, number});
        ++own_.map_pages_read;
        uncover(table);
        space_.invalidate(old);
    }
    const Ppn page = space_.add(frontier, flash_.plane_of_table(table), number);
    flash_.set_place_of_table(table, page);
    if (read == FlashOp::kNone) {
        ops.push_back({FlashOpKind::kProgram, Origin::kMapping, page, number});
    } else {
        ops.push_back(FlashOp::copy(Origin::kMapping, ops[static_cast<std::size_t>(read)].page,
                                    page, number, read));
        ops.back().rewrites = true;
    }
    ++own_.map_pages_written;
    if (log_ != nullptr) {
        log_->program(Origin::kMapping, number, page);
    }
    return read;
}

// ---- pages superseded ---------------------------------------------------------------------------

void Dftl::uncover(std::uint32_t table) {
    for (std::uint32_t entry = lazy_ ? cache_.first_dirty(table) : MappingCache::kNone;
         entry != MappingCache::kNone; entry = cache_.next_dirty(entry)) {
        if (cache_.is_unseen(entry)) {
            space_.invalidate(Ppn{flash_.place(cache_.lpn(entry)) - 1});
            cache_.set_unseen(entry, false);
        }
    }
}

void Dftl::uncover(BlockId block) {
    for (std::uint32_t i = 0; i < space_.geometry().pages_per_block; ++i) {
        uncover(space_.geometry().page(block, i));
    }
}

bool Dftl::uncover(Ppn page) {
    const Lpn lpn = space_.owner(page);
    const std::uint32_t entry = cache_.find(lpn);
    if (!hides_garbage(entry) || flash_.place(lpn) != raw(page) + 1) {
        return false;
    }
    space_.invalidate(page);
    cache_.set_unseen(entry, false);
    return true;
}

// ---- invariants ---------------------------------------------------------------------------------

std::uint64_t Dftl::check_invariants() const {
    std::uint64_t facts = cache_.check_invariants() + flash_.check_invariants();
    std::uint64_t mapped = 0;
    std::uint64_t hidden = 0;
    for (std::uint64_t page = 0; page < logical_pages(); ++page) {
        const Lpn lpn{page};
        const std::uint32_t entry = cache_.find(lpn);
        mapped += place_of(lpn) != 0 ? 1 : 0;
        hidden += hides_garbage(entry) ? 1 : 0;
        CAVERN_CHECK(entry == MappingCache::kNone || cache_.is_dirty(entry) ||
                         cache_.place(entry) == flash_.place(lpn),
                     "the clean entry of logical page " + std::to_string(page) +
                         " is not what its translation page says");
        ++facts;
    }
    CAVERN_CHECK(mapped == mapped_, "the mapped pages are miscounted");
    // With the check of the blocks this makes the map injective: as many physical pages are named
    // by an owner's place as there are places, the superseded ones that are still counted included.
    facts += collector_.check();
    CAVERN_CHECK(space_.valid_pages() == mapped + table_pages() + hidden,
                 "a mapped page has no place, or two have one");
    return facts + 2;
}

} // namespace cavern
