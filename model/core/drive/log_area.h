#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/geometry.h"
#include "core/ftl/flash_op.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// The blocks of a map log: the first `reserved` ones of each plane, in two halves. The NAND pages
/// of a half are numbered across the planes, so that pages in a row go to different dies.
class LogArea {
  public:
    static constexpr std::uint32_t kHalves = 2;

    /// `reserved` is even and not 0.
    LogArea(const Geometry& geometry, std::uint32_t reserved);

    [[nodiscard]] const Geometry& geometry() const { return geometry_; }
    /// NAND pages of a half.
    [[nodiscard]] std::uint32_t pages() const { return pages_; }
    /// Its first mapping unit.
    [[nodiscard]] Ppn page(std::uint32_t half, std::uint32_t number) const;
    /// Appends the erases of the blocks of a half that hold something.
    void erase(std::uint32_t half, FlashOpList& ops);
    /// Appends the programs of a page with this number in its spare area. One that `records` waits
    /// for all programs decided before.
    void program(std::uint32_t half, std::uint32_t page, PageVersion number, bool records,
                 FlashOpList& ops);
    /// What is programmed.
    void look_at(const NandArray& array);

    /// Whether a page can be read, and is of this number.
    [[nodiscard]] bool holds(const NandArray& array, std::uint32_t half, std::uint32_t page,
                             PageVersion number) const;
    /// Of a page that can be read; 0 of any other.
    [[nodiscard]] PageVersion number(const NandArray& array, std::uint32_t half,
                                     std::uint32_t page) const;

  private:
    [[nodiscard]] BlockId block(std::uint32_t half, std::uint32_t plane, std::uint32_t index) const;

    Geometry geometry_;
    std::uint32_t blocks_of_half_; ///< in a plane
    std::uint32_t nand_pages_;     ///< of a block
    std::uint32_t pages_;
    std::vector<bool> programmed_; ///< by BlockId, of the area's own
};

} // namespace cavern
