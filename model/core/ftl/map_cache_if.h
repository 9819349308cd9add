#pragma once

#include <cstdint>

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

/// Totals since construction (or the last FtlIf::reset_counters): look-ups of pages that have a
/// place, and what they cost. With kLogs, writes of the host, which hit where a random log block
/// has the page.
struct MapCacheCounters {
    std::uint64_t read_hits = 0;
    std::uint64_t read_misses = 0;
    std::uint64_t write_hits = 0;
    std::uint64_t write_misses = 0;
    std::uint64_t evictions = 0;         ///< entries that left, clean or dirty
    std::uint64_t batches = 0;           ///< translation pages written because a dirty entry left
    std::uint64_t batch_entries = 0;     ///< entries that became clean by those
    std::uint64_t gc_batches = 0;        ///< translation pages rewritten because pages had moved
    std::uint64_t gc_batch_entries = 0;  ///< entries changed by those
    std::uint64_t lazy_copies = 0;       ///< pages moved whose entry was cached: no rewriting
    std::uint64_t table_copies = 0;      ///< valid translation pages moved by collection
    std::uint64_t data_collections = 0;  ///< victims that held data
    std::uint64_t data_copies = 0;       ///< pages moved out of those
    std::uint64_t table_collections = 0; ///< victims that held translation pages
    std::uint64_t log_collections = 0;   ///< random log blocks reclaimed
    std::uint64_t log_valid_pages = 0;   ///< valid pages in them
    std::uint64_t log_merges = 0;        ///< logical blocks merged for that
    std::uint64_t log_reads = 0;         ///< pages read for that
    std::uint64_t log_programs = 0;
    std::uint64_t log_erases = 0;

    MapCacheCounters& operator+=(const MapCacheCounters& other);
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
    /// Who is told from now on; may be null.
    virtual void set_listener(MapCacheListenerIf* listener) = 0;
};

} // namespace cavern
