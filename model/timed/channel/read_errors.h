#pragma once

#include <cstdint>
#include <vector>

#include "core/base/flat_map.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/nand/nand_array.h"
#include "core/parts/ecc_params.h"

namespace cavern {

/// The raw bit errors of pages, and which pages are lost. The errors of a codeword are a pure
/// function of its place, the erases and reads of its block, and the age of that. A codeword keeps
/// its place among those of its kind until the block is erased: one that is worse than others stays
/// so, and gets no better by being read again.
///
/// A page is lost when what was to be copied to it could not be read. It stays so, wherever it is
/// copied to, until it is written anew.
class ReadErrors {
  public:
    /// `array` outlives this. A codeword has `bits`.
    ReadErrors(const Geometry& geometry, const NandArray& array, const ErrorParams& params,
               std::uint64_t bits, std::uint64_t seed);

    /// Mean errors of a codeword of the page.
    [[nodiscard]] double mean(Ppn page, TimePs now) const;
    /// Errors of codeword `index` of the page, of which the mean is that.
    [[nodiscard]] std::uint32_t errors(Ppn page, std::uint32_t index, double mean) const;

    [[nodiscard]] bool is_lost(Ppn page) const {
        return lost_.size() != 0 && lost_.find(raw(page)) != FlatMap::kNone;
    }
    /// The array has read the page.
    void read(Ppn page) { ++blocks_[raw(geometry_.block_of(page))].reads; }
    void programmed(Ppn page, bool lost, TimePs now);
    void erased(BlockId block);

  private:
    /// Of the rate: what the type of the page, or SLC mode, makes of it.
    [[nodiscard]] double share(Ppn page) const {
        if (geometry_.is_slc(page)) {
            return params_.slc_scale;
        }
        return shares_.empty() ? 1.0 : shares_[geometry_.nand_page_in_block(page) % shares_.size()];
    }

    struct Block {
        std::uint64_t reads; ///< since its erase
        TimePs since;        ///< one more than when its first page was programmed; 0: see `erased`
        bool erased;         ///< since then nothing was programmed
    };

    Geometry geometry_;
    const NandArray& array_;
    ErrorParams params_;
    BitErrorRate rate_;
    std::vector<double> shares_; ///< by page type; empty: all alike
    std::uint64_t bits_;
    std::uint64_t seed_;
    double nand_pages_; ///< of a block
    LazyArray<Block> blocks_;
    FlatMap lost_{64};
};

} // namespace cavern
