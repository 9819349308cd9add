#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/base/random.h"

namespace cavern {

class StateArchive;

/// The candidates of every plane as dense lists, for policies that draw among them. O(1) per call;
/// blocks never candidates cost nothing. The order within a list depends on the calls alone.
class CandidateSet {
  public:
    explicit CandidateSet(const Geometry& geometry)
        : blocks_per_plane_(geometry.blocks_per_plane), list_(geometry.blocks()),
          position_(geometry.blocks()), count_(geometry.planes()), turn_(geometry.planes()) {}

    /// Nothing changes if the block is one already.
    void insert(PlaneId plane, BlockId block) {
        if (position_[raw(block)] != 0) {
            return;
        }
        const std::uint32_t at = count_[raw(plane)]++;
        list_[first(plane) + at] = raw(block);
        position_[raw(block)] = at + 1;
    }
    /// The block must be a candidate.
    void remove(PlaneId plane, BlockId block);

    [[nodiscard]] std::uint32_t count(PlaneId plane) const { return count_[raw(plane)]; }
    /// Below count().
    [[nodiscard]] BlockId at(PlaneId plane, std::uint32_t i) const {
        return BlockId{list_[first(plane) + i]};
    }
    /// Random numbers for one choice: the same until a candidate of the plane is removed.
    [[nodiscard]] Random random(PlaneId plane, std::uint64_t seed) const;
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] std::size_t first(PlaneId plane) const {
        return std::size_t{raw(plane)} * blocks_per_plane_;
    }

    std::uint32_t blocks_per_plane_;
    LazyArray<std::uint32_t> list_;     ///< of each plane: BlockIds in no particular order
    LazyArray<std::uint32_t> position_; ///< by BlockId: place in the list + 1; 0: no candidate
    LazyArray<std::uint32_t> count_;    ///< by plane
    LazyArray<std::uint32_t> turn_;     ///< by plane: candidates removed so far
};

} // namespace cavern
