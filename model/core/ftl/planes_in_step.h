#pragma once

#include <cstdint>

#include "core/base/divisor.h"
#include "core/base/geometry.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

/// Planes that are filled, collected and erased in step. The blocks of one number in all of them
/// are one block; a row of pages across them is a superpage, of which the planes of a die can be
/// programmed at once. Whoever maps pages sees one plane of longer blocks: here are its shape, and
/// where its pages lie. They are numbered across the planes first, then along the blocks; mapping
/// units of one NAND page, or of one word line that is programmed in one shot, follow each other.
class PlanesInStep {
  public:
    PlanesInStep(const Geometry& geometry, GcPlacement placement)
        : joins_dies_(placement == GcPlacement::kDrive), width_(width_of(geometry, placement)),
          pages_per_block_(geometry.pages_per_block), blocks_per_plane_(geometry.blocks_per_plane),
          shape_(shape_of(geometry, placement)), by_width_(width_),
          together_(geometry.units_per_program()), by_together_(together_),
          by_long_block_(shape_.pages_per_block), by_blocks_per_plane_(blocks_per_plane_) {}

    /// The drive with those planes as one.
    [[nodiscard]] static Geometry shape_of(const Geometry& geometry, GcPlacement placement) {
        Geometry shape = geometry;
        if (placement != GcPlacement::kPlane) {
            shape.pages_per_block *= width_of(geometry, placement);
            shape.slc_pages *= width_of(geometry, placement);
            shape.planes_per_die = 1;
        }
        if (placement == GcPlacement::kDrive) {
            shape.channels = shape.ways = shape.dies_per_way = 1;
        }
        return shape;
    }

    [[nodiscard]] const Geometry& shape() const { return shape_; }
    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] bool joins_dies() const { return joins_dies_; }
    /// The one that a plane of the flash is part of.
    [[nodiscard]] PlaneId plane(PlaneId in_flash) const {
        return PlaneId{by_width_.divide(raw(in_flash))};
    }

    [[nodiscard]] Ppn in_flash(Ppn page) const {
        if (width_ == 1) {
            return page;
        }
        const std::uint32_t block = by_long_block_.divide(raw(page));
        const auto in_block =
            static_cast<std::uint32_t>(raw(page) - std::uint64_t{block} * shape_.pages_per_block);
        const std::uint32_t program = by_together_.divide(in_block);
        const std::uint32_t row = by_width_.divide(program);
        const std::uint32_t unit = in_block - program * together_;
        const BlockId part = block_in_flash(BlockId{block}, program - row * width_);
        return Ppn{std::uint64_t{raw(part)} * pages_per_block_ + row * together_ + unit};
    }
    /// Of the block's part on one of its planes, 0 <= `place` < width().
    [[nodiscard]] BlockId block_in_flash(BlockId block, std::uint32_t place) const {
        const std::uint32_t plane = by_blocks_per_plane_.divide(raw(block));
        const std::uint32_t in_plane = raw(block) - plane * blocks_per_plane_;
        return BlockId{(plane * width_ + place) * blocks_per_plane_ + in_plane};
    }
    /// The reverse: page `index` of a block of the flash.
    [[nodiscard]] Ppn page(BlockId in_flash, std::uint32_t index) const {
        const std::uint32_t plane = by_blocks_per_plane_.divide(raw(in_flash));
        const std::uint32_t in_plane = raw(in_flash) - plane * blocks_per_plane_;
        const std::uint32_t one = by_width_.divide(plane);
        const std::uint32_t row = by_together_.divide(index);
        const std::uint32_t unit = index - row * together_;
        const std::uint64_t block = one * blocks_per_plane_ + in_plane;
        return Ppn{block * shape_.pages_per_block +
                   (row * width_ + plane - one * width_) * together_ + unit};
    }

  private:
    static std::uint32_t width_of(const Geometry& geometry, GcPlacement placement) {
        return placement == GcPlacement::kPlane ? 1
               : placement == GcPlacement::kDie ? geometry.planes_per_die
                                                : geometry.planes();
    }

    bool joins_dies_;
    std::uint32_t width_;
    std::uint32_t pages_per_block_;
    std::uint32_t blocks_per_plane_;
    Geometry shape_;
    Divisor by_width_;
    std::uint32_t together_; ///< mapping units that are programmed as one
    Divisor by_together_;
    Divisor by_long_block_;
    Divisor by_blocks_per_plane_;
};

} // namespace cavern
