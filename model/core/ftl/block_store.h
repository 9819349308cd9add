#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/flash_op.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/ftl.h"

namespace cavern {

class StateArchive;

/// The physical side of translation layers that map blocks: which blocks are free, how far each is
/// programmed, how often it was erased. Every operation such a layer decides is appended here, in
/// one place where it is also counted and logged.
///
/// Pages of a block are programmed ascending. With `strict_order` none may be skipped: a program
/// further up first fills the pages below it with zeros, counted as padding.
///
/// Merges cannot lock dies against each other, however many take part: an operation waits only for
/// ones decided before it (those of its die, the one it names, the program of the page it reads),
/// and an erase for reads decided before it, since later ones name no page of its block until that
/// is programmed anew. So of all that are outstanding the oldest can always go on.
class BlockStore {
  public:
    /// `log` may be null.
    BlockStore(const Geometry& geometry, bool strict_order, DecisionLogIf* log);

    [[nodiscard]] std::uint32_t free_blocks(PlaneId plane) const { return pool_.count(plane); }
    /// An erased block; the plane must have one.
    BlockId take(PlaneId plane) {
        --free_total_;
        return pool_.take(plane);
    }
    /// Of the whole drive.
    [[nodiscard]] std::uint32_t free_blocks() const { return free_total_; }
    /// An erased block of that plane or, where it has none, of the plane that take_anywhere() would
    /// choose. The drive must have one.
    BlockId take_near(PlaneId plane) {
        return free_blocks(plane) != 0 ? take(plane) : take_anywhere();
    }
    /// Die of the block that take_near() would find; nothing where that may be on another.
    [[nodiscard]] std::optional<DieId> die_near(PlaneId plane) const {
        return free_blocks(plane) != 0 ? std::optional(geometry_.die_of(plane)) : std::nullopt;
    }
    /// The same where only the die is known, if that.
    [[nodiscard]] std::optional<DieId> die_near(std::optional<DieId> die) const;
    /// An erased block of the plane that has most, the next of them in turn. Cost proportional to
    /// the planes.
    BlockId take_anywhere();
    /// Index of the next programmable page: 0 when erased, pages per block when full.
    [[nodiscard]] std::uint32_t next_page(BlockId block) const { return blocks_[raw(block)].next; }
    /// True if that page can be programmed and nothing has to be filled for it.
    [[nodiscard]] bool accepts(BlockId block, std::uint32_t page) const {
        return strict_order_ ? page == next_page(block) : page >= next_page(block);
    }
    /// The same for a block just erased.
    [[nodiscard]] bool accepts_first(std::uint32_t page) const {
        return !strict_order_ || page == 0;
    }
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const {
        return blocks_[raw(block)].erases;
    }

    /// Programs a page that leaves the write buffer: host data or, with `origin` kPadding, what the
    /// logical page holds already, a copy of its place `newest`, or zeros where that is kNoPpn. It
    /// supersedes `newest`. The page must not be below next_page().
    Ppn program(BlockId block, std::uint32_t page, Lpn lpn, Origin origin, Ppn newest,
                FlashOpList& ops);
    /// Programs the first `count` pages of an erased block with logical pages in a row. Nothing is
    /// appended to a list.
    FilledRun fill(BlockId block, Lpn first, std::uint32_t count);
    /// Programs the data of `from`: the read, then the program that waits for it. `origin` is
    /// kMerge, kGc or kPadding.
    Ppn copy(Ppn from, BlockId block, std::uint32_t page, Lpn lpn, Origin origin, FlashOpList& ops);
    /// Erases a block and gives it back to its plane. `after`: index in `ops` of the program that
    /// must have completed, the last copy out of the block; FlashOp::kNone where the order of the
    /// die says enough.
    void erase(BlockId block, std::int32_t after, FlashOpList& ops);

    /// What flash holds after a loss of power (MountIf).
    void mount(const MountedDrive& drive);
    /// Takes so many erased blocks out of use, or one of each plane, so that they can be written at
    /// any moment of what is under way; a mount chooses them anew.
    void keep_blocks(std::uint32_t count);
    void keep_block_of_each_plane();
    /// After a mount: no further page of the block is programmed.
    void close(BlockId block) {
        blocks_[raw(block)].next = static_cast<std::uint16_t>(geometry_.pages_per_block);
    }

    /// Counts and logs a merge; its pages and erases were counted as they were appended.
    void count_merge(MergeKind kind, Lbn unit, std::uint32_t copies, std::uint32_t erases);
    /// Counts and logs the reclaim of a log block that several logical blocks share: its erase,
    /// which merges leave out.
    void count_reclaim(BlockId block);
    /// Of the copies counted, so many because a block changed its die.
    void count_moved(std::uint32_t pages) { counters_.moved_pages += pages; }

    [[nodiscard]] const FtlCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = {}; }
    [[nodiscard]] const Geometry& geometry() const { return geometry_; }
    [[nodiscard]] bool strict_order() const { return strict_order_; }

    /// Checks that exactly the blocks for which `in_use` (by BlockId) is true are out of the pool,
    /// and that free ones are erased. Returns how many facts were compared.
    std::uint64_t check_invariants(const std::vector<bool>& in_use) const;
    void serialize(StateArchive& archive);

  private:
    struct Block {
        std::uint32_t erases;
        std::uint16_t next; ///< programmable page
    };

    Ppn append(BlockId block, std::uint32_t page, Lpn lpn, Origin origin, std::int32_t read,
               Ppn newest, FlashOpList& ops);
    void count_program(Origin origin);
    void choose_kept();

    Geometry geometry_;
    bool strict_order_;
    DecisionLogIf* log_;
    FreePool pool_;
    std::uint32_t free_total_;
    std::uint32_t keeps_ = 0; ///< blocks anywhere
    bool keeps_of_planes_ = false;
    std::vector<BlockId> kept_;
    std::uint32_t turn_ = 0; ///< plane that take_anywhere() looks at first
    LazyArray<Block> blocks_;
    FtlCounters counters_;
};

} // namespace cavern
