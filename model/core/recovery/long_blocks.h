#pragma once

#include <cstdint>
#include <vector>

#include "core/ftl/planes_in_step.h"
#include "core/recovery/rebuild.h"

namespace cavern {

/// The blocks of a drive that recovers as a layer sees them that fills planes in step
/// (PlanesInStep): the blocks of one number in all of those planes are one. Dies may have come to
/// different pages of it, and to different ends of its erases.
class LongBlocks {
  public:
    LongBlocks(Rebuild& rebuild, GcPlacement placement);

    /// As the layer sees the drive; planes and blocks below are of this shape.
    [[nodiscard]] const Geometry& shape() const { return step_.shape(); }
    /// Behind the last page that is programmed in any of its parts; 0: all are erased.
    [[nodiscard]] std::uint32_t next(BlockId block) const;
    [[nodiscard]] std::uint32_t wanted(BlockId block) const;
    [[nodiscard]] std::uint32_t pages_left(BlockId block) const {
        return shape().pages_per_block - next(block);
    }
    /// Whether it is filled in part and can be filled further: what is programmed behind a first
    /// page that is torn would not be trusted.
    [[nodiscard]] bool can_go_on(BlockId block) const;
    [[nodiscard]] std::vector<Lpn> pages_of(BlockId block) const;
    [[nodiscard]] std::uint32_t erased_blocks(PlaneId plane) const;

    void erase_unwanted();
    BlockId take(PlaneId plane);
    /// Copies the newest version of a page to the next one of the block.
    void append(Lpn lpn, BlockId block);
    void erase(BlockId block);
    /// The layer goes on to fill the block, from a whole NAND page on.
    void leave_open(BlockId block);

  private:
    [[nodiscard]] BlockId part(BlockId block, std::uint32_t place) const {
        return step_.block_in_flash(block, place);
    }
    /// Parts that lag behind are filled up to the block's next page.
    void level(BlockId block);

    Rebuild& rebuild_;
    PlanesInStep step_;
    std::vector<std::vector<BlockId>> erased_; ///< by plane, where there are several parts
};

} // namespace cavern
