#pragma once

#include <cstdint>

#include "core/base/counter.h"
#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// What the map that memory holds is made of.
enum class MapKind : std::uint8_t {
    kEntries, ///< places of single pages, cached (dftl)
    kLogs     ///< of the pages of log blocks, all of them (fast)
};

/// Memory of a map that can change its size, in bytes.
struct MapMemory {
    MapKind kind = MapKind::kEntries;
    std::uint64_t bytes = 0;       ///< at the start
    std::uint64_t unit = 8;        ///< what it grows and shrinks by: an entry, a log block
    std::uint64_t least = 8;       ///< it never takes less
    std::uint64_t ghost_entry = 8; ///< that a page asked for in vain would have taken
};

/// What every map in memory counts, since construction or the last FtlIf::reset_counters: look-ups
/// of pages that have a place. With kLogs, writes of the host, which hit where a random log block
/// has the page. A scheme adds its own (MapCacheIf::own_cache_counters).
struct MapCacheCounters {
    std::uint64_t read_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t evictions = 0;

    static constexpr auto declared = counters_of(
        counter(&MapCacheCounters::read_hits, "read_hits", "pages",
                "Pages read whose mapping was in memory; with fast always 0."),
        counter(&MapCacheCounters::read_misses, "read_misses", "pages",
                "Pages read whose mapping was not in memory; with fast always 0."),
        counter(&MapCacheCounters::write_hits, "write_hits", "pages",
                "Pages written whose mapping was in memory; with fast, that a random log block "
                "held."),
        counter(&MapCacheCounters::write_misses, "write_misses", "pages",
                "Pages written whose mapping was not in memory; with fast, that no random log "
                "block held."),
        counter(&MapCacheCounters::evictions, "evictions", "entries",
                "Entries that left the cache, clean or dirty; with fast, random log blocks "
                "reclaimed."));
};

/// Told what a mapping cache lacks.
class MapCacheListenerIf {
  public:
    virtual ~MapCacheListenerIf() = default;
    /// A page of the host was looked up and its entry not found.
    virtual void on_map_miss(Lpn lpn, bool write) = 0;
    /// The entry of a page left for want of room.
    virtual void on_map_eviction(Lpn lpn) = 0;
};

/// The part of a translation layer's map that memory holds and that can change its size.
class MapCacheIf {
  public:
    virtual ~MapCacheIf() = default;
    /// Memory it may take.
    [[nodiscard]] virtual std::uint64_t cache_bytes() const = 0;
    /// From now on it takes `bytes`, or what is possible of them. Entries too many leave, least
    /// recently used first, or log blocks, oldest first; appends to `ops` what that takes.
    virtual void resize_cache(std::uint64_t bytes, FlashOpList& ops) = 0;
    /// Writes back what is dirty and empties the cache, which keeps its size.
    virtual void empty_cache(FlashOpList& ops) = 0;
    [[nodiscard]] virtual const MapCacheCounters& cache_counters() const = 0;
    /// What this scheme counts beside those. Its row of ftl_table() names the same list.
    [[nodiscard]] virtual CounterView own_cache_counters() const { return {}; }
    /// Who is told from now on; may be null.
    virtual void set_listener(MapCacheListenerIf* listener) = 0;
};

} // namespace cavern
