#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/data/page_contents.h"
#include "core/ftl/flash_op.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// What is not whole because the power went.
struct Torn {
    std::uint64_t pages = 0;          ///< being programmed, or on the word line of one that was
    std::uint64_t with_word_line = 0; ///< of those, on the word line
    std::uint64_t erases = 0;         ///< blocks being erased

    Torn& operator+=(const Torn& other);
};

/// The power goes while the page is programmed: it is torn, and so are the pages programmed before
/// on the same word line, which `word_line` pages of consecutive numbers share. Returns how many.
/// `contents`, which may be null, are no data there any more.
std::uint64_t tear_program(NandArray& array, Ppn page, std::uint32_t word_line,
                           PageContents* contents = nullptr);

/// How many pages at most that were programmed before are torn with those being programmed.
[[nodiscard]] inline std::uint64_t pages_torn_along(const Geometry& geometry,
                                                    std::uint32_t word_line) {
    return std::uint64_t{geometry.planes()} * geometry.units_per_page * (word_line - 1);
}

/// The power goes while the block is erased: its first page is torn, any other may be.
void tear_erase(NandArray& array, BlockId block, Random& random, PageContents* contents = nullptr);

/// Either, for a program or an erase that is under way.
Torn tear(NandArray& array, const FlashOp& op, std::uint32_t word_line, Random& random,
          PageContents* contents);

} // namespace cavern
