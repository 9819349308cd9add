#include "timed/nand/nand_checks.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

void check_planes(const Geometry& geometry, const NandExtension& command) {
    const auto page_of = [&](std::uint32_t i) {
        return geometry.nand_page_in_block(command.pages[i]);
    };
    const auto mode_of = [&](std::uint32_t i) { return geometry.is_slc(command.pages[i]); };
    const std::uint32_t units =
        command.kind == FlashOpKind::kProgram ? geometry.units_per_program(command.pages[0]) : 1;
    std::uint32_t planes = 0;
    for (std::uint32_t i = 0; i < command.count; i += units) {
        const std::uint32_t plane =
            1u << geometry.plane_in_die(geometry.plane_of(geometry.block_of(command.pages[i])));
        CAVERN_CHECK((planes & plane) == 0, "a command names a plane once");
        CAVERN_CHECK(command.kind == FlashOpKind::kErase || page_of(i) == page_of(0),
                     "the planes of a command work on pages of one index");
        CAVERN_CHECK(command.kind == FlashOpKind::kErase || mode_of(i) == mode_of(0),
                     "the planes of a command are in one mode, SLC or not");
        planes |= plane;
    }
}

void check_word_lines(const Geometry& geometry, const NandExtension& command) {
    const std::uint32_t units = geometry.units_per_program(command.pages[0]);
    CAVERN_CHECK(command.count % units == 0, "a one-shot program has all pages of its word lines");
    for (std::uint32_t i = 0; i < command.count; ++i) {
        const std::uint64_t first = raw(command.pages[i - i % units]);
        CAVERN_CHECK(first % units == 0 && raw(command.pages[i]) == first + i % units,
                     "the pages of a one-shot program are those of a word line, in order");
    }
}

void check_beside_suspended(const Geometry& geometry, const NandExtension& command,
                            const NandExtension& other) {
    for (std::uint32_t i = 0; i < command.count; ++i) {
        for (std::uint32_t j = 0; j < other.count; ++j) {
            const bool touches =
                other.kind == FlashOpKind::kErase
                    ? geometry.block_of(command.pages[i]) == geometry.block_of(other.pages[j])
                    : command.pages[i] == other.pages[j];
            CAVERN_CHECK(!touches, "what is suspended is not read");
        }
    }
}

void check_same_blocks(const Geometry& geometry, const NandExtension& command,
                       const NandExtension& before, const char* what) {
    for (std::uint32_t i = 0; i < command.count; ++i) {
        const BlockId block = geometry.block_of(command.pages[i]);
        const auto end = before.pages.begin() + before.count;
        CAVERN_CHECK(std::any_of(before.pages.begin(), end,
                                 [&](Ppn page) { return geometry.block_of(page) == block; }),
                     what);
    }
}

} // namespace cavern
