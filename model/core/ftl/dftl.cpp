#include "core/ftl/dftl.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/dftl_shape.h"
#include "core/ftl/ftl_fits.h"

namespace cavern {

namespace {

/// A logical and a physical page number of 32 bits each (SHIM III-D).
constexpr std::uint64_t kEntryBytes = 8;
/// Data and translation pages each may need a block while a victim is emptied.
constexpr std::uint32_t kNeeded = 3;

std::uint32_t entries_of(std::uint64_t bytes, std::uint64_t most) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes / kEntryBytes, 1, most));
}

std::uint64_t most_entries(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t pages = exported_pages(geometry, params.overprovision);
    const std::uint64_t bytes = std::max(params.map_cache_most, map_cache_bytes(params));
    return std::clamp<std::uint64_t>(bytes / kEntryBytes, 1, pages);
}

std::string name(PlaneId plane) {
    return "plane " + std::to_string(raw(plane));
}

} // namespace

Dftl::Dftl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : planes_(geometry.planes()), logical_pages_(exported_pages(geometry, params.overprovision)),
      entries_per_table_(entries_per_table(geometry)), by_planes_(planes_),
      by_entries_(entries_per_table_), gc_low_(dftl_gc_low(params)), gc_high_(dftl_gc_high(params)),
      copies_(params.gc_shared_frontier ? Stream::kHost : Stream::kCopy),
      lazy_(params.dftl_lazy_invalidate), write_loads_(!params.dftl_write_shim), log_(log),
      store_(geometry, params, counters_), flash_map_(logical_pages_, Touches::kScattered),
      directory_(translation_pages(geometry, params)),
      cache_(entries_of(map_cache_bytes(params), most_entries(geometry, params)),
             static_cast<std::uint32_t>(most_entries(geometry, params)),
             static_cast<std::uint32_t>(translation_pages(geometry, params)), params.dftl_slru),
      cache_bytes_(map_cache_bytes(params)) {
    CAVERN_CHECK(!dftl_fits(geometry, params), "the drive cannot hold its translation pages");
    for (std::uint32_t die_in_plane = 0; die_in_plane < geometry.planes_per_die; ++die_in_plane) {
        for (std::uint32_t die = 0; die < geometry.dies(); ++die) {
            shards_.push_back(geometry.plane(DieId{die}, die_in_plane));
        }
    }
    moved_.reserve(geometry.pages_per_block);
}

// ---- look-up ------------------------------------------------------------------------------------

void Dftl::check_range(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < logical_pages_,
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
}

std::uint32_t Dftl::table_of(Lpn lpn) const {
    const std::uint32_t within = by_planes_.divide(static_cast<std::uint32_t>(raw(lpn)));
    return by_entries_.divide(within) * planes_ + shard_of(lpn);
}

std::uint32_t Dftl::place_of(Lpn lpn) const {
    const std::uint32_t entry = cache_.find(lpn);
    return entry != MappingCache::kNone ? cache_.place(entry) : flash_map_[raw(lpn)];
}

Ppn Dftl::location(Lpn lpn) const {
    const bool table = raw(lpn) >= logical_pages_ && raw(lpn) - logical_pages_ < directory_.size();
    if (!table) {
        check_range(lpn);
    }
    const std::uint32_t place = table ? directory_[raw(lpn) - logical_pages_] : place_of(lpn);
    return place == 0 ? kNoPpn : Ppn{place - 1};
}

void Dftl::note_look_up(Lpn lpn, bool write) {
    if (cache_.find(lpn) != MappingCache::kNone) {
        ++(write ? cached_.write_hits : cached_.read_hits);
        return;
    }
    ++(write ? cached_.write_misses : cached_.read_misses);
    if (listener_ != nullptr) {
        listener_->on_map_miss(lpn, write);
    }
}

std::uint32_t Dftl::look_up(Lpn lpn, bool load, std::int32_t& after, FlashOpList& ops) {
    std::uint32_t entry = cache_.find(lpn);
    if (entry != MappingCache::kNone) {
        cache_.touch(entry);
        return entry;
    }
    if (cache_.is_full()) {
        after = evict(ops);
    }
    const std::uint32_t table = table_of(lpn);
    if (load && directory_[table] != 0) {
        // Behind the page that the evicted entry went to: its memory is free once that is here.
        ops.push_back({FlashOpKind::kRead, Origin::kMapping, Ppn{directory_[table] - 1},
                       number_of(table), after});
        after = static_cast<std::int32_t>(ops.size()) - 1;
        ++counters_.map_pages_read;
        uncover(table);
        if (log_ != nullptr) {
            log_->map(MapEvent::kMiss, table, 1);
        }
    }
    entry = cache_.insert(lpn, table, flash_map_[raw(lpn)]);
    cache_.set_unseen(entry, lazy_ && !load && flash_map_[raw(lpn)] != 0);
    return entry;
}

// ---- pages superseded ---------------------------------------------------------------------------

void Dftl::supersede(std::uint32_t entry) {
    // The first change of an entry that has not seen its page hides that.
    if (!cache_.is_unseen(entry) || cache_.is_dirty(entry)) {
        store_.invalidate(Ppn{cache_.place(entry) - 1});
    }
}

void Dftl::uncover(std::uint32_t table) {
    for (std::uint32_t entry = lazy_ ? cache_.first_dirty(table) : MappingCache::kNone;
         entry != MappingCache::kNone; entry = cache_.next_dirty(entry)) {
        if (cache_.is_unseen(entry)) {
            store_.invalidate(Ppn{flash_map_[raw(cache_.lpn(entry))] - 1});
            cache_.set_unseen(entry, false);
        }
    }
}

void Dftl::uncover(BlockId block) {
    for (std::uint32_t i = 0; i < store_.geometry().pages_per_block; ++i) {
        const Ppn page = store_.geometry().page(block, i);
        const Lpn lpn{store_.owner(page)};
        const std::uint32_t entry = cache_.find(lpn);
        if (hides_garbage(entry) && flash_map_[raw(lpn)] == raw(page) + 1) {
            store_.invalidate(page);
            cache_.set_unseen(entry, false);
        }
    }
}

// ---- cache --------------------------------------------------------------------------------------

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
    make_room(plane_of_table(table), Stream::kTable, ops);
    const std::int32_t read = rewrite(table, ops);
    std::uint32_t entries = 0;
    for (std::uint32_t entry = cache_.first_dirty(table); entry != MappingCache::kNone;
         entry = cache_.next_dirty(entry)) {
        flash_map_[raw(cache_.lpn(entry))] = cache_.place(entry);
        ++entries;
    }
    cache_.clean(table);
    ++cached_.batches;
    cached_.batch_entries += entries;
    if (log_ != nullptr) {
        log_->map(MapEvent::kEvict, table, entries);
    }
    return read;
}

std::int32_t Dftl::rewrite(std::uint32_t table, FlashOpList& ops) {
    const PlaneId plane = plane_of_table(table);
    std::int32_t read = FlashOp::kNone;
    if (directory_[table] != 0) {
        const Ppn old{directory_[table] - 1};
        read = static_cast<std::int32_t>(ops.size());
        ops.push_back({FlashOpKind::kRead, Origin::kMapping, old, number_of(table)});
        ++counters_.map_pages_read;
        uncover(table);
        store_.invalidate(old);
    } else {
        ++tables_in_flash_;
    }
    const Ppn page =
        store_.append(plane, Stream::kTable, static_cast<std::uint32_t>(raw(number_of(table))));
    directory_[table] = raw(page) + 1;
    ops.push_back({FlashOpKind::kProgram, Origin::kMapping, page, number_of(table), read,
                   read != FlashOp::kNone});
    ++counters_.map_pages_written;
    if (log_ != nullptr) {
        log_->program(Origin::kMapping, number_of(table), page);
    }
    return read;
}

// ---- host ---------------------------------------------------------------------------------------

void Dftl::write(Lpn lpn, PlaneId, FlashOpList& ops) {
    check_range(lpn);
    note_look_up(lpn, true);
    std::int32_t after = FlashOp::kNone;
    const std::uint32_t entry = look_up(lpn, write_loads_, after, ops);
    place_page(lpn, entry, Origin::kHost, after, ops);
    ++counters_.host_pages;
}

void Dftl::pad(Lpn lpn, PlaneId, FlashOpList& ops) {
    check_range(lpn);
    std::int32_t after = FlashOp::kNone;
    // What is copied must be found.
    const std::uint32_t entry = look_up(lpn, write_loads_ || place_of(lpn) != 0, after, ops);
    place_page(lpn, entry, Origin::kPadding, after, ops);
    ++counters_.padding_pages;
}

std::optional<FilledRun> Dftl::fill(Lpn first, std::uint32_t count, bool last, FlashOpList& ops) {
    const PlaneId plane = shards_.front();
    if (planes_ != 1 || cache_.size() != 0 || mapped_ != raw(first)) {
        return std::nullopt;
    }
    make_room(plane, Stream::kHost, ops);
    if (store_.room(plane, Stream::kHost) < count) {
        return std::nullopt;
    }
    const auto begin = static_cast<std::uint32_t>(raw(first));
    check_range(Lpn{begin + count - 1});
    const Ppn page = store_.append_run(plane, Stream::kHost, begin, count);
    for (std::uint32_t i = 0; i < count; ++i) {
        flash_map_[begin + i] = raw(page) + i + 1;
    }
    for (std::uint32_t i = 0; log_ != nullptr && i < count; ++i) {
        log_->program(Origin::kHost, Lpn{begin + i}, Ppn{raw(page) + i});
    }
    mapped_ += count;
    counters_.host_pages += count;
    const std::uint32_t end = begin + count;
    const std::uint32_t complete =
        end / entries_per_table_ + (last && end % entries_per_table_ != 0);
    for (std::uint32_t table = begin / entries_per_table_; table < complete; ++table) {
        make_room(plane, Stream::kTable, ops);
        rewrite(table, ops);
    }
    return FilledRun{page, first, count};
}

void Dftl::place_page(Lpn lpn, std::uint32_t entry, Origin origin, std::int32_t after,
                      FlashOpList& ops) {
    const PlaneId plane = plane_of(lpn);
    make_room(plane, Stream::kHost, ops);
    // Only now: the collection may have moved the older version.
    const std::uint32_t old = cache_.place(entry);
    if (old != 0) {
        supersede(entry);
    } else {
        ++mapped_;
    }
    const Ppn page = store_.append(plane, Stream::kHost, static_cast<std::uint32_t>(raw(lpn)));
    cache_.change(entry, raw(page) + 1);
    if (log_ != nullptr) {
        log_->program(origin, lpn, page);
    }
    const bool copies = origin == Origin::kPadding && old != 0;
    if (copies) {
        ops.push_back({FlashOpKind::kRead, origin, Ppn{old - 1}, lpn, after});
        after = static_cast<std::int32_t>(ops.size()) - 1;
    }
    ops.push_back({FlashOpKind::kProgram, origin, page, lpn, after, copies});
}

Ppn Dftl::read(Lpn lpn, FlashOpList& ops) {
    check_range(lpn);
    if (cache_.find(lpn) == MappingCache::kNone && flash_map_[raw(lpn)] == 0) {
        return kNoPpn;
    }
    note_look_up(lpn, false);
    std::int32_t after = FlashOp::kNone;
    const std::uint32_t entry = look_up(lpn, true, after, ops);
    const std::uint32_t place = cache_.place(entry);
    return place == 0 ? kNoPpn : Ppn{place - 1};
}

void Dftl::trim(Lpn lpn, FlashOpList& ops) {
    check_range(lpn);
    if (place_of(lpn) == 0) {
        return;
    }
    std::int32_t after = FlashOp::kNone;
    const std::uint32_t entry = look_up(lpn, write_loads_, after, ops);
    supersede(entry);
    cache_.change(entry, 0);
    --mapped_;
}

// ---- size of the cache --------------------------------------------------------------------------

void Dftl::resize_cache(std::uint64_t bytes, FlashOpList& ops) {
    cache_bytes_ = bytes;
    cache_.set_capacity(bytes / kEntryBytes);
    while (cache_.size() > cache_.capacity()) {
        evict(ops);
    }
}

void Dftl::empty_cache(FlashOpList& ops) {
    while (cache_.size() > 0) {
        evict(ops);
    }
}

void Dftl::reset_counters() {
    store_.on_counters_reset();
    counters_ = {};
    cached_ = {};
}

std::uint64_t Dftl::check_invariants() const {
    std::uint64_t facts = cache_.check_invariants();
    std::uint64_t mapped = 0;
    std::uint64_t hidden = 0;
    for (std::uint64_t page = 0; page < logical_pages_; ++page) {
        const std::uint32_t entry = cache_.find(Lpn{page});
        mapped += place_of(Lpn{page}) != 0 ? 1 : 0;
        hidden += hides_garbage(entry) ? 1 : 0;
        CAVERN_CHECK(entry == MappingCache::kNone || cache_.is_dirty(entry) ||
                         cache_.place(entry) == flash_map_[page],
                     "the clean entry of logical page " + std::to_string(page) +
                         " is not what its translation page says");
        CAVERN_CHECK(flash_map_[page] == 0 || directory_[table_of(Lpn{page})] != 0,
                     "logical page " + std::to_string(page) +
                         " is mapped by a translation page that does not exist");
        facts += 2;
    }
    CAVERN_CHECK(mapped == mapped_, "the mapped pages are miscounted");
    std::uint64_t tables = 0;
    for (std::uint32_t table = 0; table < directory_.size(); ++table) {
        tables += directory_[table] != 0 ? 1 : 0;
    }
    CAVERN_CHECK(tables == tables_in_flash_, "the translation pages are miscounted");
    // Owners that name the place back make the map injective; with their number it is complete.
    std::uint64_t valid = 0;
    facts += store_.check_invariants([&](std::uint32_t owner, Ppn page) {
        const bool named = location(Lpn{owner}) == page ||
                           (owner < logical_pages_ && flash_map_[owner] == raw(page) + 1 &&
                            hides_garbage(cache_.find(Lpn{owner})));
        valid += named ? 1 : 0;
        return named;
    });
    CAVERN_CHECK(valid == mapped + tables + hidden, "a mapped page has no place, or two have one");
    return facts + 3;
}

// ---- collection ---------------------------------------------------------------------------------

void Dftl::make_room(PlaneId plane, Stream stream, FlashOpList& ops) {
    if (store_.room(plane, stream) > 0) {
        return;
    }
    if (store_.free_blocks(plane) <= gc_low_) {
        collect(plane, ops);
    }
    // The collection may have left one open.
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
// would leave it (dftl_fits).
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
        if ((cached ? cache_.place(entry) : flash_map_[owner]) != raw(from) + 1) {
            continue;
        }
        const Ppn to = copy(from, plane, copies_, owner, Origin::kGc, ops);
        if (cached) {
            // Of an entry just made: now it knows the place.
            cache_.set_unseen(entry, hides_garbage(entry));
            cache_.change(entry, raw(to) + 1);
            ++cached_.lazy_copies;
        } else {
            moved_.push_back({table_of(lpn), owner, raw(to) + 1});
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
            flash_map_[moved_[i].lpn] = moved_[i].place;
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
        const auto table = static_cast<std::uint32_t>(owner - logical_pages_);
        if (directory_[table] != raw(from) + 1) {
            continue;
        }
        const Ppn to = copy(from, plane, Stream::kTable, owner, Origin::kMapping, ops);
        directory_[table] = raw(to) + 1;
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
    ops.push_back({FlashOpKind::kProgram, origin, to, Lpn{owner}, read, true});
    return to;
}

} // namespace cavern
