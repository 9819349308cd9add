#pragma once

#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/ftl/block_faults.h"
#include "core/ftl/block_state.h"

namespace cavern {

class StateArchive;

/// The free blocks of every plane; at the start all that are not bad, nor in SLC mode, in ascending
/// order. Blocks
/// never taken are a counter, those given back wait behind them: construction does not touch a word
/// per block.
///
/// They are taken in the order in which they came, O(1), or, for wear levelling, the one with the
/// fewest erases first, ties to the lower number, O(log blocks).
class FreePool {
  public:
    explicit FreePool(const Geometry& geometry);
    /// `by_wear` has the erase counts for the second order; null: the first one. `faults` says
    /// which blocks are bad from the beginning, or is null. Both must outlive the pool.
    FreePool(const Geometry& geometry, const BlockStates* by_wear, const BlockFaultsIf* faults);

    [[nodiscard]] std::uint32_t count(PlaneId plane) const { return planes_[raw(plane)].count; }
    /// The pool must not be empty.
    BlockId take(PlaneId plane);
    /// Only in the order of wear: the block with the most erases, ties to the lower number. Looks
    /// at every block given back.
    BlockId take_most_worn(PlaneId plane);
    void give_back(BlockId block);
    /// No block is free any more, and all have been taken before. What is erased is given back.
    void take_all();

    /// Blocks of `plane` that were never taken are those from this index within the plane on.
    [[nodiscard]] std::uint32_t first_fresh(PlaneId plane) const {
        return planes_[raw(plane)].fresh;
    }
    /// The free blocks in the order they will be taken.
    [[nodiscard]] std::vector<BlockId> list(PlaneId plane) const;
    void serialize(StateArchive& archive);

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    struct Plane {
        std::uint32_t count;
        std::uint32_t fresh = 0;
        std::uint32_t first = kNone; ///< of the blocks given back
        std::uint32_t last = kNone;
        std::uint32_t heap = 0; ///< in the order of wear: how many were given back
    };
    [[nodiscard]] bool is_bad(BlockId block) const {
        return faults_ != nullptr && faults_->is_factory_bad(block);
    }
    /// The next block never taken, if any.
    [[nodiscard]] bool skip_bad(PlaneId plane);
    [[nodiscard]] bool more_worn(std::uint32_t a, std::uint32_t b) const;

    Geometry geometry_;
    const BlockStates* by_wear_;
    const BlockFaultsIf* faults_;
    std::vector<Plane> planes_;
    /// Per block: the one given back after it, meaningful but for the last of a list. In the order
    /// of wear: a heap from the first place of each plane on.
    LazyArray<std::uint32_t> next_;
};

} // namespace cavern
