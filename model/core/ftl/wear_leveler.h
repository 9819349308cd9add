#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/strong_id.h"
#include "core/ftl/block_state.h"

namespace cavern {

class StateArchive;

/// Static wear levelling (docs/algorithms.md, WL-1; MQSim does so as well): what lies in the
/// least-worn block is cold, or collection would have emptied it. So its pages go to the most-worn
/// free block, where they will rest, and the block comes into use.
class WearLeveler {
  public:
    /// `threshold`: erases between the most and the least worn block.
    WearLeveler(std::uint32_t planes, std::uint32_t threshold)
        : threshold_(threshold), planes_(planes) {}

    void on_erase(PlaneId plane, std::uint32_t erases);
    /// The block is full.
    void on_close(PlaneId plane, BlockId block, std::uint32_t erases);
    /// The full block with fewest erases, if it has too few; blocks from `first` up to, not
    /// including, `end` are looked at where it is not known.
    [[nodiscard]] std::optional<BlockId> uneven(PlaneId plane, const BlockStates& blocks,
                                                BlockId first, BlockId end);
    void serialize(StateArchive& archive);

  private:
    struct Plane {
        std::uint32_t most = 0; ///< erases of a block, at most
        /// No full block comes before this one in the order of erases, then of number.
        std::uint32_t least = 0;
        std::uint32_t coldest = 0; ///< BlockId + 1; 0: not known, and `least` is 0
    };
    static void find_coldest(Plane& plane, const BlockStates& blocks, BlockId first, BlockId end);

    std::uint32_t threshold_;
    std::vector<Plane> planes_;
};

} // namespace cavern
