#pragma once

#include <cstdint>

#include "core/alloc/allocator.h"
#include "core/base/geometry.h"
#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// Totals since construction (or the last reset_counters). Pages and blocks, not bytes.
struct FtlCounters {
    std::uint64_t host_pages = 0;        ///< programs of host data
    std::uint64_t gc_pages = 0;          ///< programs of pages relocated by collection
    std::uint64_t merge_pages = 0;       ///< programs of pages copied by merges
    std::uint64_t padding_pages = 0;     ///< programs that only fill holes
    std::uint64_t map_pages_read = 0;    ///< translation pages read
    std::uint64_t map_pages_written = 0; ///< translation pages programmed
    std::uint64_t erases = 0;
    std::uint64_t gc_runs = 0; ///< victims collected
    std::uint64_t merges_switch = 0;
    std::uint64_t merges_partial = 0;
    std::uint64_t merges_full = 0;
};

/// A flash translation layer: decides where pages live and which flash operations that takes. It is
/// told nothing of time. Its own state (map, valid counts, free pools) changes when it decides; the
/// state of the flash (NandArray) changes when an operation completes, which is the caller's business.
/// Callers carry out the operations of successive calls in order, per die (see FlashOp).
class FtlIf : public SpaceIf {
  public:

    /// Writes one host page to a block of `target`, collecting first if it must. Appends to `ops`;
    /// the last operation appended is the host program. Throws ModelError if the plane has no room
    /// (callers ask has_room first).
    virtual void write(Lpn lpn, PlaneId target, FlashOpList& ops) = 0;

    /// Place of the newest version of `lpn`, or kNoPpn if it was never written or is trimmed.
    /// Appends what the look-up itself costs (translation pages), not the read of the data.
    [[nodiscard]] virtual Ppn read(Lpn lpn, FlashOpList& ops) = 0;

    /// The same without the cost: for checks.
    [[nodiscard]] virtual Ppn location(Lpn lpn) const = 0;
    /// Logical pages that have a place.
    [[nodiscard]] virtual std::uint64_t mapped_pages() const = 0;

    /// Forgets `lpn`; reads of it return zeros from now on.
    virtual void trim(Lpn lpn, FlashOpList& ops) = 0;

    /// True if `target` can take one more host page whose older version, if any, stays valid
    /// elsewhere: a bound that makes write() safe.
    [[nodiscard]] bool has_room(PlaneId target) const override = 0;

    /// Logical pages the drive exports.
    [[nodiscard]] virtual std::uint64_t logical_pages() const = 0;

    [[nodiscard]] virtual const FtlCounters& counters() const = 0;
    virtual void reset_counters() = 0;

    /// Checks the invariants of the mapping (injective, valid counts true, pools disjoint); throws ModelError
    /// naming the broken one. Cost proportional to the drive: for tests and the end of a run.
    /// Returns how many single facts were compared.
    virtual std::uint64_t check_invariants() const = 0;
};

} // namespace cavern
