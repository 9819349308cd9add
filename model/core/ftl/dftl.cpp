#include "core/ftl/dftl.h"

#include "core/base/check.h"
#include "core/ftl/dftl_shape.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

namespace {

std::uint32_t entries_of(const FtlParams& params, std::uint64_t most) {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(dftl_entries_in(params, dftl_cache_bytes(params)), 1, most));
}

std::uint64_t most_entries(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t pages = exported_pages(geometry, params.overprovision);
    const std::uint64_t bytes = std::max(params.map_cache_most, dftl_cache_bytes(params));
    return std::clamp<std::uint64_t>(dftl_entries_in(params, bytes), 1, pages);
}

Streams streams_of(const FtlParams& params) {
    Streams streams;
    streams.shared = params.gc_shared_frontier;
    streams.levels = params.wear_leveling == WearLeveling::kStatic;
    streams.tables = true;
    return streams;
}

/// Work and gain of a victim count for a quarter of their averages. Where victims have hardly
/// brought anything, those of translation pages will.
CollectorParams collector_params(const Geometry& geometry, const FtlParams& params) {
    const std::uint32_t least = std::max(geometry.pages_per_block / 8, 1u);
    return {dftl_kept(params), params.recovers ? 1u : 0u, 0, Pace(4, least), 3};
}

} // namespace

Dftl::Dftl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : flash_(geometry, params), lazy_(own_params<DftlParams>(params).lazy_invalidate),
      write_loads_(!own_params<DftlParams>(params).write_shim), log_(log),
      space_(PlanesInStep(geometry, GcPlacement::kPlane), params, streams_of(params), log),
      collector_(space_, *this, params, collector_params(geometry, params), log),
      cache_(entries_of(params, most_entries(geometry, params)),
             static_cast<std::uint32_t>(most_entries(geometry, params)), flash_.tables(),
             own_params<DftlParams>(params).slru),
      cache_bytes_(dftl_cache_bytes(params)),
      entry_bytes_(own_params<DftlParams>(params).entry_bytes), moved_(geometry.planes()) {
    CAVERN_CHECK(!dftl_why_not(geometry, params), "the drive cannot hold its translation pages");
    parts_.map_cache = this;
    parts_.map_in_flash = this;
    parts_.idle_work = params.gc_background != 0 ? this : nullptr;
    parts_.refresh = space_.refreshes() ? &space_ : nullptr;
    parts_.mount = this;
    parts_.fill = this;
}

void Dftl::reset_counters() {
    space_.reset_counters();
    own_ = {};
    cached_ = {};
}

// ---- look-up ------------------------------------------------------------------------------------

void Dftl::check_range(Lpn lpn) const {
    CAVERN_CHECK(raw(lpn) < flash_.logical_pages(),
                 "logical page " + std::to_string(raw(lpn)) + " is beyond the drive");
}

std::uint32_t Dftl::place_of(Lpn lpn) const {
    const std::uint32_t entry = cache_.find(lpn);
    return entry != MappingCache::kNone ? cache_.place(entry) : flash_.place(lpn);
}

Ppn Dftl::location(Lpn lpn) const {
    const bool table = flash_.is_table(lpn);
    if (!table) {
        check_range(lpn);
    }
    const std::uint32_t place =
        table ? flash_.place_of_table(flash_.table_numbered(lpn)) : place_of(lpn);
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
    const std::uint32_t table = flash_.table_of(lpn);
    if (load && flash_.place_of_table(table) != 0) {
        const Ppn page{flash_.place_of_table(table) - 1};
        // Behind the page that the evicted entry went to: its memory is free once that is here.
        ops.push_back({FlashOpKind::kRead, Origin::kMapping, page, flash_.number_of(table), after});
        after = static_cast<std::int32_t>(ops.size()) - 1;
        space_.on_read(page);
        ++own_.map_pages_read;
        uncover(table);
        if (log_ != nullptr) {
            log_->map(MapEvent::kMiss, table, 1);
        }
    }
    entry = cache_.insert(lpn, table, flash_.place(lpn));
    cache_.set_unseen(entry, lazy_ && !load && flash_.place(lpn) != 0);
    return entry;
}

// ---- host ---------------------------------------------------------------------------------------

void Dftl::write(Lpn lpn, PlaneId, FlashOpList& ops) {
    check_range(lpn);
    note_look_up(lpn, true);
    std::int32_t after = FlashOp::kNone;
    const std::uint32_t entry = look_up(lpn, write_loads_, after, ops);
    place_page(lpn, entry, Origin::kHost, after, ops);
    ++space_.counters().host_pages;
}

void Dftl::pad(Lpn lpn, PlaneId, FlashOpList& ops) {
    check_range(lpn);
    std::int32_t after = FlashOp::kNone;
    // What is copied must be found.
    const std::uint32_t entry = look_up(lpn, write_loads_ || place_of(lpn) != 0, after, ops);
    place_page(lpn, entry, Origin::kPadding, after, ops);
    ++space_.counters().padding_pages;
}

std::optional<FilledRun> Dftl::fill(Lpn first, std::uint32_t count, bool last, FlashOpList& ops) {
    const PlaneId plane = flash_.plane_of(Lpn{0});
    if (flash_.planes() != 1 || cache_.size() != 0 || mapped_ != raw(first)) {
        return std::nullopt;
    }
    Frontier& host = make_room(plane, Streams::kHost, ops);
    if (host.fail - host.next < count) {
        return std::nullopt;
    }
    const auto begin = static_cast<std::uint32_t>(raw(first));
    check_range(Lpn{begin + count - 1});
    const Ppn page{host.next};
    for (std::uint32_t i = 0; i < count; ++i) {
        const Ppn at = space_.add(host, plane, Lpn{begin + i});
        flash_.set_place(Lpn{begin + i}, static_cast<std::uint32_t>(raw(at)) + 1);
    }
    for (std::uint32_t i = 0; log_ != nullptr && i < count; ++i) {
        log_->program(Origin::kHost, Lpn{begin + i}, Ppn{raw(page) + i});
    }
    mapped_ += count;
    space_.counters().host_pages += count;
    const std::uint32_t end = begin + count;
    const std::uint32_t complete =
        end / flash_.entries_per_table() + (last && end % flash_.entries_per_table() != 0);
    for (std::uint32_t table = begin / flash_.entries_per_table(); table < complete; ++table) {
        rewrite(table, make_room(plane, space_.streams().table(), ops), ops);
    }
    return FilledRun{page, first, count};
}

void Dftl::place_page(Lpn lpn, std::uint32_t entry, Origin origin, std::int32_t after,
                      FlashOpList& ops) {
    const PlaneId plane = plane_of(lpn);
    Frontier& host = make_room(plane, Streams::kHost, ops);
    // Only now: the collection may have moved the older version.
    const std::uint32_t old = cache_.place(entry);
    if (old != 0) {
        supersede(entry);
    } else {
        ++mapped_;
    }
    const Ppn page = space_.add(host, plane, lpn);
    cache_.change(entry, static_cast<std::uint32_t>(raw(page) + 1));
    if (log_ != nullptr) {
        log_->program(origin, lpn, page);
    }
    if (origin == Origin::kPadding && old != 0) {
        const std::int32_t program = push_copy(origin, Ppn{old - 1}, page, lpn, ops);
        ops[static_cast<std::size_t>(program - 1)].after = after;
        return;
    }
    FlashOp& op = ops.emplace_back();
    op.kind = FlashOpKind::kProgram;
    op.origin = origin;
    op.page = page;
    op.lpn = lpn;
    op.after = after;
    op.supersedes = old != 0 ? Ppn{old - 1} : kNoPpn;
}

void Dftl::supersede(std::uint32_t entry) {
    // The first change of an entry that has not seen its page hides that.
    if (!cache_.is_unseen(entry) || cache_.is_dirty(entry)) {
        space_.invalidate(Ppn{cache_.place(entry) - 1});
    }
}

Ppn Dftl::read(Lpn lpn, FlashOpList& ops) {
    check_range(lpn);
    if (cache_.find(lpn) == MappingCache::kNone && flash_.place(lpn) == 0) {
        return kNoPpn;
    }
    note_look_up(lpn, false);
    std::int32_t after = FlashOp::kNone;
    const std::uint32_t entry = look_up(lpn, true, after, ops);
    const std::uint32_t place = cache_.place(entry);
    if (place == 0) {
        return kNoPpn;
    }
    space_.on_read(Ppn{place - 1});
    return Ppn{place - 1};
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

void Dftl::trim_range(Lpn first, std::uint64_t count, FlashOpList& ops) {
    if (count == 0) {
        return;
    }
    const std::uint64_t end = raw(first) + count;
    check_range(Lpn{end - 1});
    // Translation pages are striped over the planes, as the pages that they map.
    const std::uint64_t stripe = std::uint64_t{flash_.planes()} * flash_.entries_per_table();
    for (std::uint64_t begin = raw(first); begin < end;) {
        const std::uint64_t next = std::min(end, (begin / stripe + 1) * stripe);
        for (std::uint64_t page = begin; page < std::min(next, begin + flash_.planes()); ++page) {
            trim_in_table(page, next, ops);
        }
        begin = next;
    }
}

/// Every planes()th page of `begin` .. `end` - 1, which one translation page maps. What is cached
/// changes there. Of the others one is looked up; for more the translation page is rewritten once.
void Dftl::trim_in_table(std::uint64_t begin, std::uint64_t end, FlashOpList& ops) {
    const std::uint32_t step = flash_.planes();
    const auto is_only_in_flash = [this](Lpn lpn) {
        return cache_.find(lpn) == MappingCache::kNone && flash_.place(lpn) != 0;
    };
    std::uint32_t elsewhere = 0;
    Lpn last{};
    for (std::uint64_t page = begin; page < end; page += step) {
        if (is_only_in_flash(Lpn{page})) {
            ++elsewhere;
            last = Lpn{page};
        } else if (place_of(Lpn{page}) != 0) {
            trim(Lpn{page}, ops);
        }
    }
    if (elsewhere <= 1) {
        if (elsewhere == 1) {
            trim(last, ops);
        }
        return;
    }
    const std::uint32_t table = flash_.table_of(Lpn{begin});
    // First of all: collection may move the pages.
    Frontier& tables = make_room(flash_.plane_of_table(table), space_.streams().table(), ops);
    for (std::uint64_t page = begin; page < end; page += step) {
        const Lpn lpn{page};
        if (is_only_in_flash(lpn)) {
            space_.invalidate(Ppn{flash_.place(lpn) - 1});
            flash_.set_place(lpn, 0);
            --mapped_;
        }
    }
    rewrite(table, tables, ops);
    const std::uint32_t cleaned = write_dirty_entries(table);
    if (log_ != nullptr) {
        log_->map(MapEvent::kTrim, table, elsewhere + cleaned);
    }
}

// Where blocks have failed the plane may have too few for its pages to be moved about.
void Dftl::think(Frontier& frontier, PlaneId plane, FlashOpList& ops) {
    if (space_.can_fail() && !frontier.is_open() && space_.free_blocks(plane) <= collector_.low() &&
        space_.has_grown_bad(plane) && !space_.has_room_packed(plane, collector_.room() + 1)) {
        space_.refuse(plane);
    }
    collector_.make_room(frontier, plane, ops);
}

// ---- size of the cache --------------------------------------------------------------------------

void Dftl::resize_cache(std::uint64_t bytes, FlashOpList& ops) {
    cache_bytes_ = bytes;
    cache_.set_capacity(bytes / entry_bytes_);
    while (cache_.size() > cache_.capacity()) {
        evict(ops);
    }
}

void Dftl::empty_cache(FlashOpList& ops) {
    while (cache_.size() > 0) {
        evict(ops);
    }
}

} // namespace cavern
