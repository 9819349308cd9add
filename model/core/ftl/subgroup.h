#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/knob.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_ftl.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

class StateArchive;

struct SubGroupParams {
    std::uint32_t blocks = 8; ///< of a superblock, an even number

    static constexpr auto knobs =
        knobs_of(knob<&SubGroupParams::blocks>("blocks",
                                               "a SubGroup superblock has this many update blocks, "
                                               "half of them for hot pages and half for cold ones")
                     .range(2, 4096));
};

/// SubGroup superblocks (Park et al., IEICE Electronics Express 2009), reconstructed: blocks are
/// mapped in superblocks of S, page r of one in its block r mod S at page r div S. Updates go to an
/// area of two sub-groups of S / 2 blocks each, allocated on first use: HOT for pages whose newest
/// version is in the area already, COLD for others. Pages are appended to the sub-group's block
/// that is filled least.
///
/// A full HOT of which at most half is still valid, the page at hand left out, is merged by itself
/// (counted as partial): its valid pages and the page at hand move to new blocks. Else, and when
/// COLD is full, the superblock is merged (full): the newest version of every page goes to its
/// place in S new blocks, data and update blocks are erased, and the page at hand starts a new
/// COLD. At most ftl.log_blocks / S superblocks have an area; the least recently written gives way.
///
/// A page is written in place (first touch) while its data block accepts it and its superblock has
/// no area. Blocks of a superblock lie in planes of different dies as far as there are any, by its
/// number; where a plane has no free block, in another. Targets are ignored.
///
/// Memory: a bit a logical page, 4 bytes a logical block, 12 a block, 8 a page of the areas;
/// untouched parts cost nothing.
class SubGroup final : public BlockFtl {
  public:
    using Params = SubGroupParams;

    /// `params` must satisfy subgroup_why_not(). `log` may be null.
    SubGroup(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId) const override {
        return std::nullopt;
    }
    void trim(Lpn lpn, FlashOpList& ops) override;
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override;
    void mount(const MountedDrive& drive) override;
    [[nodiscard]] MountNeeds mount_needs() const override;
    std::uint64_t check_invariants() const override;

    /// Merges the superblock whose area would give way next, if it begins in that plane.
    bool maintain(PlaneId plane, std::uint32_t copies, FlashOpList& ops) override;
    void serialize(StateArchive& archive) override;

  private:
    friend struct SubGroupProbe; // tests corrupt the state to see check_invariants notice

    enum class Temperature : std::uint32_t { kCold, kHot };

    /// Where the updates of one superblock are. Its blocks are `columns_` entries of area_blocks_:
    /// first those of COLD, then those of HOT.
    struct Area {
        Unit unit = kNone; ///< kNone: not in use
        std::uint64_t written = 0;
    };

    [[nodiscard]] bool has_data(Unit unit) const { return data_[unit * columns_] != 0; }
    [[nodiscard]] BlockId data_block(Unit unit, std::uint32_t column) const {
        return BlockId{data_[unit * columns_ + column] - 1};
    }
    [[nodiscard]] std::uint32_t area_of(Unit unit) const { return area_of_[unit] - 1u; }
    [[nodiscard]] std::uint32_t first_of(Temperature which) const {
        return static_cast<std::uint32_t>(which) * (columns_ / 2);
    }
    [[nodiscard]] bool has_group(std::uint32_t area, Temperature which) const {
        return area_blocks_[area * columns_ + first_of(which)] != 0;
    }
    [[nodiscard]] BlockId group_block(std::uint32_t area, std::uint32_t i) const {
        return BlockId{area_blocks_[area * columns_ + i] - 1};
    }
    /// Position in its area of the newest version of a page, or kNone.
    [[nodiscard]] std::uint32_t position_of(std::uint32_t area, std::uint32_t offset) const {
        return map_[std::size_t{area} * unit_pages() + offset] - 1u;
    }
    [[nodiscard]] Ppn page_at(std::uint32_t area, std::uint32_t position) const;
    [[nodiscard]] PlaneId plane_of(Unit unit, std::uint32_t column) const;

    /// Of the block that the i-th of an area's blocks is taken near.
    [[nodiscard]] PlaneId plane_in_area(Unit unit, std::uint32_t i) const;
    [[nodiscard]] bool fits_in_place(Lpn lpn) const;
    void put(Lpn lpn, Origin origin, FlashOpList& ops);
    bool put_in_place(Lpn lpn, Origin origin, FlashOpList& ops);
    /// Notes that the page there is the newest version.
    void log(std::uint32_t area, std::uint32_t position, std::uint32_t offset);
    std::uint32_t open_area(Unit unit, FlashOpList& ops);
    void open_group(std::uint32_t area, Temperature which);
    /// Position of the page to be programmed next, or kNone if the sub-group is full.
    [[nodiscard]] std::uint32_t next_position(std::uint32_t area, Temperature which) const;
    /// Logged pages of HOT that are valid, without `except`.
    [[nodiscard]] std::uint32_t live_in_hot(std::uint32_t area, std::uint32_t except) const;
    void merge_hot(std::uint32_t area, std::uint32_t offset, Origin origin, FlashOpList& ops);
    void merge_superblock(std::uint32_t area, FlashOpList& ops);
    /// The area written least recently; one must be in use.
    [[nodiscard]] std::uint32_t oldest_area() const;
    [[nodiscard]] std::uint64_t check_unit(Unit unit, std::vector<bool>& in_use) const;

    std::uint32_t pages_per_block_;
    std::uint32_t columns_;
    Divisor by_columns_;
    Divisor by_pages_;
    LazyArray<std::uint32_t> data_;    ///< by superblock and column: block + 1, or 0
    LazyArray<std::uint32_t> area_of_; ///< by superblock: area + 1, or 0
    std::vector<Area> areas_;
    std::uint32_t areas_used_ = 0;
    std::uint64_t writes_ = 0;
    std::vector<std::uint32_t> area_blocks_; ///< by area and position of a block in it: block + 1
    LazyArray<std::uint32_t> map_;           ///< by area and offset: position + 1, or 0
    LazyArray<std::uint32_t> offsets_;       ///< by area and position: offset programmed there
    std::vector<std::uint32_t> live_;        ///< scratch of merge_hot()
    std::vector<BlockId> fresh_;             ///< scratch of merges: new blocks
};

/// Why SubGroup cannot be built so, as "what; what would be right"; nothing if it can. Beside its
/// data the drive needs the update areas and a superblock to merge into; another one if it can lose
/// its power.
[[nodiscard]] std::optional<std::string> subgroup_why_not(const Geometry& geometry,
                                                          const FtlParams& params);

} // namespace cavern
