#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_ftl.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/log_table.h"
#include "core/ftl/shared_log.h"

namespace cavern {

class StateArchive;

/// Block mapping with two kinds of log: sequential log blocks, bound to one logical block each, and
/// random log blocks that all logical blocks share. What derived classes add is which page goes
/// where and which log block is merged when.
///
/// The newest version of a page is in the random log if that has one, else in the sequential log of
/// its block if that has one, else in the data block at its own offset. A page is written in place
/// (first touch) while its data block accepts it and its block has no sequential log.
///
/// Blocks may lie in any plane: a logical block's first data block in that of the target, a merge's
/// new block in that of the old data, random log blocks where most are free; where a plane has none
/// left, another serves. So spare blocks are those of the whole drive.
///
/// Memory: a bit a logical page, 8 bytes a logical block, 12 a block; of the logs 4 bytes a page
/// and 24 a page of the random ones; untouched parts cost nothing.
class MixedLogFtl : public BlockFtl, public FillIf {
  public:
    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    std::optional<FilledRun> fill(Lpn first, std::uint32_t count, bool last,
                                  FlashOpList& ops) override;
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    /// Of log blocks. Looks at every log.
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override;
    void trim(Lpn lpn, FlashOpList& ops) override;
    void mount(const MountedDrive& drive) override;
    [[nodiscard]] MountNeeds mount_needs() const override { return {}; }
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    std::uint64_t check_invariants() const override;
    void serialize(StateArchive& archive) override;

  protected:
    /// The page that a merge is told to write instead of copying its older version.
    struct Pending {
        std::uint32_t offset = kNone;
        Origin origin = Origin::kHost;
    };

    struct Logs {
        std::uint32_t sequential = 1;
        std::uint32_t random = 1; ///< at most
        bool associates = false;  ///< SharedLog::associated() is asked for
    };

    MixedLogFtl(const Geometry& geometry, const FtlParams& params, const Logs& logs,
                DecisionLogIf* log);

    /// Writes a page of host data or padding that is on the drive.
    virtual void put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops) = 0;

    /// Whether a page is written in place (first touch).
    [[nodiscard]] bool fits_in_place(Lpn lpn) const;
    /// Die of the block that would be taken beside the data of a unit, or for its first data.
    [[nodiscard]] std::optional<DieId> die_near_data(Unit unit, std::optional<DieId> target) const;
    /// Die of a page that is written in place.
    [[nodiscard]] std::optional<DieId> die_in_place(Lpn lpn, std::optional<DieId> target) const;
    [[nodiscard]] DieId die_of(BlockId block) const {
        return store().geometry().die_of(store().geometry().plane_of(block));
    }
    /// First touch: writes in place and returns true, or returns false.
    bool put_in_place(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops);
    /// Appends to a random log block that is not full.
    void put_in_random(std::uint32_t slot, Lpn lpn, Origin origin, FlashOpList& ops);
    /// Appends to the unit's sequential log the page whose turn it is.
    void put_in_sequential(std::uint32_t log, Lpn lpn, Origin origin, FlashOpList& ops);
    /// Opens a sequential log for the unit; one must be unused.
    std::uint32_t open_sequential(Unit unit, PlaneId target);
    std::uint32_t open_random() { return random_.open(store().take_anywhere()); }

    /// The log becomes the data: the newest versions of the offsets behind its end are copied into
    /// it, the old data block is erased. A switch if it is complete, else a partial merge. A unit
    /// without any valid page gives back both blocks.
    void close_sequential(std::uint32_t log, Pending pending, FlashOpList& ops);
    /// The newest versions of all pages go to a new block; the data block and the sequential log,
    /// if there are such, are erased. A unit without any valid page gives back its blocks.
    void merge_fully(Unit unit, Pending pending, FlashOpList& ops);
    /// Erases a random log block without a valid page. `first`: size of `ops` when its reclaim
    /// began.
    void erase_random(std::uint32_t slot, std::size_t first, FlashOpList& ops);

    [[nodiscard]] bool has_data(Unit unit) const { return data_[unit] != 0; }
    [[nodiscard]] std::uint32_t sequential_of(Unit unit) const { return log_of_[unit] - 1u; }
    [[nodiscard]] std::uint32_t next_in_sequential(std::uint32_t log) const {
        return store().next_page(sequential_.block(log, 0));
    }
    [[nodiscard]] const LogTable& sequential() const { return sequential_; }
    [[nodiscard]] const SharedLog& random() const { return random_; }
    [[nodiscard]] std::uint32_t pages_per_block() const { return unit_pages(); }

  private:
    friend struct MixedLogFtlProbe; // tests corrupt the state to see check_invariants notice

    [[nodiscard]] BlockId data_block(Unit unit) const { return BlockId{data_[unit] - 1}; }
    /// Newest versions from `first` on, or the pending page, into their places. Returns the copies.
    std::uint32_t gather(Unit unit, BlockId into, std::uint32_t first, Pending pending,
                         FlashOpList& ops);
    void close_log(std::uint32_t log);
    [[nodiscard]] std::uint64_t check_unit(Unit unit, std::vector<bool>& in_use) const;

    LogTable sequential_;
    SharedLog random_;
    LazyArray<std::uint32_t> data_;   ///< by unit: block + 1, or 0
    LazyArray<std::uint32_t> log_of_; ///< by unit: sequential log + 1, or 0
};

} // namespace cavern
