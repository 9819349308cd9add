#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/ftl/block_log_ftl.h"

namespace cavern {

/// BAST (Kim et al., IEEE TCE 2002), one for each die as CAVE uses it (SAC 2011, section 3.2): a
/// logical block has a data block and at most one log block, both in its home plane. Each plane has
/// its own share of the log blocks, their order of use and one block to merge into.
///
/// A block gets its home with its first page: the target, or another plane of that die if the
/// target is full. Of later targets only the die matters. When it is another one, the block moves
/// (CAVE, section 4.2): pages that are not in the unit written are copied, together with the unit,
/// in order into a block of the new die; the old data and log blocks are erased. Counted as a full
/// merge, the copies as moved pages.
///
/// With FtlParams::gather it does not move. Pages go in place or to the log that the block has,
/// wherever that is; a new log is opened on the die of the target, and its merge leaves the data
/// there. So long a block is reserved for it on that die, beside the one that holds its data. Where
/// no block can be spared, the log is opened beside the data.
class Bast final : public BlockLogFtl {
  public:
    /// `params` must satisfy bast_why_not(). `log` may be null.
    Bast(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) override;
    /// True if the target's die is the block's home, or if some plane of it can take another block
    /// and keep its share of log blocks and the block to merge into. With FtlParams::gather also if
    /// the target's die has the block's log; and another die only takes the log of a block while
    /// the logical blocks still to come keep their room.
    [[nodiscard]] bool has_room(PlaneId target, Lpn lpn) const override;
    /// A block is on the die of the target, or moves there. With FtlParams::gather that is for new
    /// logs to say.
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override;
    std::uint64_t check_invariants() const override;
    [[nodiscard]] MountNeeds mount_needs() const override { return {0, blocks_for_data_}; }

  private:
    /// `target` if it can take another logical block, else another plane of its die that can.
    [[nodiscard]] std::optional<PlaneId> room_on_die(PlaneId target) const;
    void move(Unit unit, PlaneId to, const UnitPage* pages, std::size_t count, FlashOpList& ops);
    /// Where the next log of a block goes, or the block itself if it is not placed.
    [[nodiscard]] PlaneId gathered_in(Unit unit, PlaneId target) const;
    [[nodiscard]] bool is_on_die(PlaneId plane, PlaneId other) const {
        return store().geometry().die_of(plane) == store().geometry().die_of(other);
    }

    bool gather_;
    std::uint32_t blocks_for_data_; ///< of each plane
    /// Logs away from their data: a logical block yet to come finds room on some plane.
    std::uint64_t most_away_;
};

/// Why BAST cannot be built so, as "what; what would be right"; nothing if it can. Log blocks are
/// shared out equally to the planes, rounded down; each plane needs one at least, and room for its
/// share of the logical blocks beside its log blocks and the block to merge into.
[[nodiscard]] std::optional<std::string> bast_why_not(const Geometry& geometry,
                                                      const FtlParams& params);

} // namespace cavern
