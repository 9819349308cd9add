#pragma once

#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"

namespace cavern {

/// The free blocks of every plane, first in, first out; at the start all blocks in ascending order.
/// Blocks never taken are a counter, those given back a linked list behind them: construction does
/// not touch a word per block. O(1) per call.
class FreePool {
  public:
    explicit FreePool(const Geometry& geometry);

    [[nodiscard]] std::uint32_t count(PlaneId plane) const { return planes_[raw(plane)].count; }
    /// Takes the block that has been free longest; the pool must not be empty.
    BlockId take(PlaneId plane);
    void give_back(BlockId block);

    /// Blocks of `plane` that were never taken are those from this index within the plane on.
    [[nodiscard]] std::uint32_t first_fresh(PlaneId plane) const {
        return planes_[raw(plane)].fresh;
    }
    /// The free blocks in the order they will be taken.
    [[nodiscard]] std::vector<BlockId> list(PlaneId plane) const;

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    struct Plane {
        std::uint32_t count;
        std::uint32_t fresh = 0;
        std::uint32_t first = kNone; ///< of the blocks given back
        std::uint32_t last = kNone;
    };
    Geometry geometry_;
    std::vector<Plane> planes_;
    LazyArray<std::uint32_t> next_; ///< per block; meaningful but for the last of a list
};

} // namespace cavern
