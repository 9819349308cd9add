#include "core/drive/array_check.h"

#include <string>

#include "core/base/check.h"

namespace cavern {

std::uint64_t check_array_follows_core(const DriveCore& core, const NandArray& array) {
    const Geometry& geometry = array.geometry();
    std::uint64_t facts = 0;
    std::uint64_t valid = 0;
    for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
        const std::uint32_t programmed = array.write_pointer(BlockId{block});
        for (std::uint32_t index = 0; index < programmed; ++index) {
            const Ppn page = geometry.page(BlockId{block}, index);
            const Lpn lpn = array.stored_lpn(page);
            valid += lpn != kNoLpn && array.stored_version(page) == core.newest_version(lpn) &&
                             core.ftl().location(lpn) == page
                         ? 1
                         : 0;
        }
        facts += programmed;
        CAVERN_CHECK(array.has_whole_word_lines(BlockId{block}),
                     "a word line of block " + std::to_string(block) + " lacks a page");
    }
    CAVERN_CHECK(valid == core.ftl().mapped_pages() + core.ftl().table_pages(),
                 "every mapped page is programmed, with its logical page and the newest version "
                 "of it in the spare area");
    return facts;
}

} // namespace cavern
