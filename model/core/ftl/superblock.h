#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/base/knob.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_store.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

class StateArchive;

struct SuperblockParams {
    std::uint32_t blocks = 16; ///< adjacent logical blocks that share their blocks
    std::uint32_t updates = 1; ///< blocks that they have beside those for data

    static constexpr auto knobs = knobs_of(
        knob<&SuperblockParams::blocks>("blocks", "this many adjacent logical blocks form a "
                                                  "superblock and share its physical blocks")
            .range(1, 4096),
        knob<&SuperblockParams::updates>("updates", "a superblock has this many physical blocks "
                                                    "beside those for its data")
            .range(1, 4096));
};

/// Superblock FTL (Kang et al., EMSOFT 2006; Jung et al., ACM TECS 2010): adjacent logical blocks
/// share as many data blocks and some update blocks. Within its superblock a page may lie anywhere.
///
/// Pages are appended to the superblock's open block. Without one, and with all its blocks in use,
/// the block with the fewest valid pages is reclaimed, of those with as few the one opened first:
/// its valid pages are copied to a new block, which is open then. That counts as a partial merge; a
/// block without a valid page is only erased (gc_runs).
///
/// Blocks may lie in any plane: those opened for the host in that of the target, those opened by a
/// reclaim in that of the victim; where it has none left, in another. The page map is at hand: the
/// spare areas that hold it on the original drive are not read.
///
/// Memory: 4 bytes a logical page, 4 a physical page, about 18 a block; untouched parts cost
/// nothing.
class Superblock final : public FtlIf, public MountIf {
  public:
    using Params = SuperblockParams;

    /// `params` must satisfy superblock_why_not(). `log` may be null.
    Superblock(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log);

    void write(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    void pad(Lpn lpn, PlaneId target, FlashOpList& ops) override;
    [[nodiscard]] Ppn read(Lpn lpn, FlashOpList& ops) override;
    [[nodiscard]] Ppn location(Lpn lpn) const override;
    [[nodiscard]] std::uint64_t mapped_pages() const override { return mapped_; }
    [[nodiscard]] std::optional<std::uint32_t> valid_count(BlockId block) const override {
        return valid_pages(block);
    }
    void trim(Lpn lpn, FlashOpList& ops) override;
    [[nodiscard]] bool has_room(PlaneId, Lpn) const override { return true; }
    [[nodiscard]] std::optional<DieId> destination(Lpn lpn,
                                                   std::optional<DieId> target) const override;
    [[nodiscard]] std::uint64_t logical_pages() const override { return logical_pages_; }
    [[nodiscard]] const FtlCounters& counters() const override { return store_.counters(); }
    void reset_counters() override { store_.reset_counters(); }
    void mount(const MountedDrive& drive) override;
    [[nodiscard]] MountNeeds mount_needs() const override;
    std::uint64_t check_invariants() const override;

    [[nodiscard]] std::uint32_t valid_pages(BlockId block) const { return valid_[raw(block)]; }
    [[nodiscard]] std::uint32_t erase_count(BlockId block) const {
        return store_.erase_count(block);
    }
    void serialize(StateArchive& archive) override;

  private:
    Superblock(const Geometry& geometry, const FtlParams& params, const SuperblockParams& own,
               DecisionLogIf* log);
    friend struct SuperblockProbe; // tests corrupt the state to see check_invariants notice

    using Unit = std::uint32_t; ///< a superblock

    [[nodiscard]] Unit unit_of(Lpn lpn) const {
        return by_unit_pages_.divide(static_cast<std::uint32_t>(raw(lpn)));
    }
    [[nodiscard]] std::uint32_t& block_at(Unit unit, std::uint32_t i) {
        return blocks_[std::size_t{unit} * room_ + i];
    }
    [[nodiscard]] BlockId block(Unit unit, std::uint32_t i) const {
        return BlockId{blocks_[std::size_t{unit} * room_ + i] - 1};
    }
    /// Blocks that a superblock may have; the last one may be smaller.
    [[nodiscard]] std::uint32_t limit(Unit unit) const;
    void check_range(Lpn lpn) const;
    void put(Lpn lpn, PlaneId target, Origin origin, FlashOpList& ops);
    /// The superblock's block that can take a page.
    BlockId open_block(Unit unit, PlaneId target, FlashOpList& ops);
    BlockId add(Unit unit, BlockId block);
    /// Position of the block that a reclaim takes.
    [[nodiscard]] std::uint32_t victim_of(Unit unit) const;
    void reclaim(Unit unit, FlashOpList& ops);
    void map(Lpn lpn, Ppn place);
    void unmap(Lpn lpn);

    std::uint32_t pages_per_block_;
    std::uint32_t room_; ///< blocks of a superblock, those for updates among them
    std::uint32_t updates_;
    Divisor by_unit_pages_;
    Divisor by_pages_;
    std::uint64_t logical_pages_;
    std::uint32_t data_blocks_;
    BlockStore store_;
    LazyArray<std::uint32_t> l2p_;    ///< physical page + 1, or 0
    LazyArray<std::uint32_t> p2l_;    ///< logical page programmed last
    LazyArray<std::uint16_t> valid_;  ///< by block
    LazyArray<std::uint32_t> blocks_; ///< by superblock, in the order opened: block + 1, then zeros
    LazyArray<std::uint16_t> count_;  ///< by superblock: blocks in use
    std::uint64_t mapped_ = 0;
};

/// Why a superblock FTL cannot be built so, as "what; what would be right"; nothing if it can.
/// Beside its data the drive needs the update blocks of every superblock and a block to copy into;
/// another one if it can lose its power.
[[nodiscard]] std::optional<std::string> superblock_why_not(const Geometry& geometry,
                                                            const FtlParams& params);

} // namespace cavern
