#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/alloc/allocator.h"
#include "core/base/counter.h"
#include "core/base/geometry.h"
#include "core/base/serialize.h"
#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"
#include "core/ftl/map_cache_if.h"
#include "core/ftl/mounted_drive.h"
#include "core/ftl/reclaim_handles.h"
#include "core/ftl/zone_states.h"

namespace cavern {

/// What translation layers of several schemes count, since construction or the last reset_counters.
/// A scheme adds its own (FtlIf::own_counters).
struct FtlCounters {
    std::uint64_t host_pages = 0;
    std::uint64_t gc_pages = 0;
    std::uint64_t merge_pages = 0;
    std::uint64_t moved_pages = 0;
    std::uint64_t padding_pages = 0;
    std::uint64_t erases = 0;
    std::uint64_t gc_runs = 0;
    std::uint64_t merges_switch = 0;
    std::uint64_t merges_partial = 0;
    std::uint64_t merges_full = 0;
    std::uint64_t wear_pages = 0;
    std::uint64_t wear_runs = 0;
    std::uint64_t refresh_pages = 0;
    std::uint64_t refresh_runs = 0;
    std::uint64_t rescued_pages = 0;
    std::uint64_t failed_programs = 0;
    std::uint64_t failed_erases = 0;

    static constexpr auto declared = counters_of(
        counter(&FtlCounters::host_pages, "host_pages", "pages", "Programs of host data."),
        counter(&FtlCounters::gc_pages, "gc_pages", "pages",
                "Programs of pages that collection moved."),
        counter(&FtlCounters::merge_pages, "merge_pages", "pages",
                "Programs of pages that merges of log blocks copied."),
        counter(&FtlCounters::moved_pages, "moved_pages", "pages",
                "Of merge_pages, those copied because a logical block changed its die."),
        counter(&FtlCounters::padding_pages, "padding_pages", "pages",
                "Programs that only fill holes, or pages that an eviction policy pads."),
        counter(&FtlCounters::erases, "erases", "blocks",
                "Erases of blocks, those that failed among them."),
        counter(&FtlCounters::gc_runs, "gc_runs", "blocks",
                "Victims that collection reclaimed, and shared log blocks reclaimed."),
        counter(&FtlCounters::merges_switch, "merges.switch", "merges",
                "Merges in which the log block became the data block."),
        counter(&FtlCounters::merges_partial, "merges.partial", "merges",
                "Merges that completed the log block with copies and made it the data block."),
        counter(&FtlCounters::merges_full, "merges.full", "merges",
                "Merges that copied every valid page into a free block."),
        counter(&FtlCounters::wear_pages, "wear_pages", "pages",
                "Programs of pages moved to level wear."),
        counter(&FtlCounters::wear_runs, "wear_runs", "blocks", "Blocks emptied to level wear."),
        counter(&FtlCounters::refresh_pages, "refresh_pages", "pages",
                "Programs of pages moved before they could not be read any more."),
        counter(&FtlCounters::refresh_runs, "refresh_runs", "blocks",
                "Blocks emptied for that reason."),
        counter(&FtlCounters::rescued_pages, "rescued_pages", "pages",
                "Programs of pages moved out of a block in which a program failed."),
        counter(&FtlCounters::failed_programs, "failed_programs", "pages",
                "Programs that failed; no other counter has them."),
        counter(&FtlCounters::failed_erases, "failed_erases", "blocks",
                "Erases that failed, which are among erases."));

    /// The counter of pages that are moved for that reason.
    [[nodiscard]] std::uint64_t& moved_by(Origin origin) {
        return origin == Origin::kWear      ? wear_pages
               : origin == Origin::kRefresh ? refresh_pages
               : origin == Origin::kRescue  ? rescued_pages
                                            : gc_pages;
    }
    [[nodiscard]] std::uint64_t programs() const {
        return host_pages + gc_pages + merge_pages + padding_pages + wear_pages + refresh_pages +
               rescued_pages + failed_programs;
    }
};

/// Blocks that cannot be used.
struct BadBlocks {
    std::uint64_t factory = 0;
    std::uint64_t grown = 0;

    static constexpr auto declared =
        counters_of(counter(&BadBlocks::factory, "factory", "blocks",
                            "Blocks that are bad from the beginning (nand.bad_blocks)."),
                    counter(&BadBlocks::grown, "grown", "blocks",
                            "Blocks retired since, preconditioning included."));
};

/// One page of an eviction unit.
struct UnitPage {
    Lpn lpn;
    PlaneId target;
    bool padding = false;
    /// Without a write buffer, pages of the host's command that it belongs to: they come one by
    /// one. 0: the unit says how many come together.
    std::uint32_t together = 0;
};

/// Logical pages in a row that went to physical pages in a row.
struct FilledRun {
    Ppn page;
    Lpn lpn;
    std::uint32_t count;
};

/// Mapping units share NAND pages: those that were begun and lack some are filled up with units of
/// no logical page, so that they can be programmed.
class NandPagesIf {
  public:
    virtual ~NandPagesIf() = default;
    virtual void complete_pages(FlashOpList& ops) = 0;
    /// The same of NAND pages that hold copies: they wait for no further page of the host.
    virtual void complete_copies(FlashOpList& ops) = 0;
};

/// Work ahead of need.
class IdleWorkIf {
  public:
    virtual ~IdleWorkIf() = default;
    /// Works for an idle plane although nobody needs room yet: at most `copies` pages are copied
    /// where collection goes in steps, else one victim is collected or one log merged. False if
    /// there is nothing to do.
    virtual bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) = 0;
};

/// Blocks are moved before they cannot be read any more (FtlParams::refreshes).
class RefreshIf {
  public:
    virtual ~RefreshIf() = default;
    /// The pages of the block that holds `page` should be moved soon.
    virtual void refresh(Ppn page) = 0;
};

/// A layer comes back after a loss of power.
class MountIf {
  public:
    virtual ~MountIf() = default;
    /// What a drive has to be brought into before that.
    [[nodiscard]] virtual MountNeeds mount_needs() const = 0;
    /// Takes over what flash holds; called on a layer that has decided nothing.
    virtual void mount(const MountedDrive& drive) = 0;
};

/// The map lies in pages of the flash. They have numbers from logical_pages() on, in the spare area
/// and for location().
class MapInFlashIf {
  public:
    virtual ~MapInFlashIf() = default;
    /// Pages in flash that hold the map.
    [[nodiscard]] virtual std::uint64_t table_pages() const = 0;
    /// Number of the page of the map that says where `lpn` is.
    [[nodiscard]] virtual Lpn map_page_of(Lpn lpn) const = 0;
    /// Logical pages, and pages of the map that there may be.
    [[nodiscard]] virtual std::uint64_t numbered_pages() const = 0;
};

/// A drive of one plane is filled in the order of addresses, before anything else is written.
class FillIf {
  public:
    virtual ~FillIf() = default;
    /// The `count` pages of a logical block from its first on, `last` where nothing follows. As
    /// write_unit() would, but in one step and past the layer's caches; what is not of the host is
    /// appended to `ops`, to be carried out after the run. Nothing where that cannot be: then
    /// write_unit().
    virtual std::optional<FilledRun> fill(Lpn first, std::uint32_t count, bool last,
                                          FlashOpList& ops) = 0;
};

/// What a translation layer has beyond the mapping; null where it has none. Asked for once.
struct FtlParts {
    MapCacheIf* map_cache = nullptr; ///< the part of its map that memory holds
    MapInFlashIf* map_in_flash = nullptr;
    /// Handles by which the host says what belongs together. Who writes a page of the host tells
    /// them first.
    ReclaimHandles* handles = nullptr;
    ZoneStates* zones = nullptr; ///< of which the host may write only the next page
    NandPagesIf* nand_pages = nullptr;
    IdleWorkIf* idle_work = nullptr;
    RefreshIf* refresh = nullptr;
    /// Not null where its row says how it is rebuilt (FtlRow::rebuilding).
    MountIf* mount = nullptr;
    FillIf* fill = nullptr;
};

/// A flash translation layer: decides where pages live and which flash operations that takes. It is
/// told nothing of time. Its own state (map, valid counts, free pools) changes when it decides; the
/// state of the flash (NandArray) changes when an operation completes, which is the caller's
/// business. Callers carry out the operations of successive calls in order, per die (see FlashOp).
class FtlIf : public SpaceIf {
  public:
    FtlIf() = default;
    FtlIf(const FtlIf&) = delete; // its parts may be itself
    FtlIf& operator=(const FtlIf&) = delete;

    /// Writes one host page to a block of `target`, collecting or merging if it must. Appends to
    /// `ops` what that takes, one host program among it. Throws ModelError if the plane has no room
    /// (callers ask has_room first).
    virtual void write(Lpn lpn, PlaneId target, FlashOpList& ops) = 0;

    /// A hint that `lpn` will be written some time soon: what the map knows of it may be fetched.
    virtual void prefetch_hint(Lpn) const {}

    /// Writes a page that was not in the buffer, only so that its block is written whole (BPLRU): a
    /// copy of its newest version or, where there is none, zeros.
    virtual void pad(Lpn lpn, PlaneId target, FlashOpList& ops) = 0;

    /// Writes the pages of one eviction unit, ascending; several are all of one logical block. Host
    /// programs appear in `ops` in that order. A block-mapped layer that has the block on another
    /// die moves it.
    virtual void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
        for (std::size_t i = 0; i < count; ++i) {
            if (pages[i].padding) {
                pad(pages[i].lpn, pages[i].target, ops);
            } else {
                write(pages[i].lpn, pages[i].target, ops);
            }
        }
    }

    /// Place of the newest version of `lpn`, or kNoPpn if it was never written or is trimmed.
    /// Appends what the look-up itself costs (translation pages), not the read of the data, which
    /// has to wait for the last operation appended.
    [[nodiscard]] virtual Ppn read(Lpn lpn, FlashOpList& ops) = 0;

    /// The same without the cost: for checks.
    [[nodiscard]] virtual Ppn location(Lpn lpn) const = 0;
    /// Logical pages that have a place.
    [[nodiscard]] virtual std::uint64_t mapped_pages() const = 0;
    /// Valid pages of a block, as the layer counts them to choose what is collected; nothing if it
    /// keeps no count for that block. For checks.
    [[nodiscard]] virtual std::optional<std::uint32_t> valid_count(BlockId block) const = 0;

    /// Forgets `lpn`; reads of it return zeros from now on.
    virtual void trim(Lpn lpn, FlashOpList& ops) = 0;
    /// The same for `count` pages from `first` on: a layer whose map lies in flash changes it page
    /// by page of the map.
    virtual void trim_range(Lpn first, std::uint64_t count, FlashOpList& ops) {
        for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
            trim(Lpn{page}, ops);
        }
    }

    /// True if `target` can take a new version of `lpn` while the older one, if any, stays valid
    /// elsewhere: a bound that makes write() safe. Always true for a target that fixes itself by
    /// the page's address or by where its logical block is.
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override = 0;

    /// Die that a write of `lpn` by itself would go to now; nothing where that is decided only
    /// when it is written. `target`: what the allocator says of it (AllocatorIf::destination).
    [[nodiscard]] virtual std::optional<DieId> destination(Lpn lpn,
                                                           std::optional<DieId> target) const = 0;

    /// Logical pages the drive exports.
    [[nodiscard]] virtual std::uint64_t logical_pages() const = 0;

    [[nodiscard]] virtual const FtlCounters& counters() const = 0;
    /// What this scheme counts beside those. Its row of ftl_table() names the same list.
    [[nodiscard]] virtual CounterView own_counters() const { return {}; }
    /// Every program there was since reset_counters(), those that failed among them.
    [[nodiscard]] virtual std::uint64_t programs() const { return counters().programs(); }
    virtual void reset_counters() = 0;
    [[nodiscard]] virtual BadBlocks bad_blocks() const { return {}; }

    /// Checks the invariants of the mapping (injective, valid counts true, pools disjoint); throws
    /// ModelError naming the broken one. Cost proportional to the drive: for tests and the end of a
    /// run. Returns how many single facts were compared.
    virtual std::uint64_t check_invariants() const = 0;

    [[nodiscard]] const FtlParts& parts() { return parts_; }
    [[nodiscard]] const MapCacheIf* map_cache() const { return parts_.map_cache; }
    [[nodiscard]] const ReclaimHandles* reclaim_handles() const { return parts_.handles; }
    [[nodiscard]] const ZoneStates* zones() const { return parts_.zones; }
    [[nodiscard]] const MapInFlashIf* map_in_flash() const { return parts_.map_in_flash; }
    [[nodiscard]] std::uint64_t table_pages() const {
        return parts_.map_in_flash != nullptr ? parts_.map_in_flash->table_pages() : 0;
    }
    [[nodiscard]] bool maintains() const { return parts_.idle_work != nullptr; }
    /// Saves or loads all that changes once it is built (StateArchive).
    virtual void serialize(StateArchive&) { refuse_to_serialize("a translation layer"); }

  protected:
    FtlParts parts_; ///< what a layer sets as it is built
};

} // namespace cavern
