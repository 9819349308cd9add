#include "core/recovery/torn.h"

#include <cstddef>
#include <vector>

namespace cavern {

std::uint64_t tear_program(NandArray& array, Ppn page, std::uint32_t word_line) {
    const Geometry& geometry = array.geometry();
    array.interrupt_program(page);
    std::uint64_t torn = 1;
    const std::uint32_t index = geometry.nand_page_in_block(page);
    const std::uint32_t first = geometry.is_slc(page) ? index : index / word_line * word_line;
    for (std::uint32_t i = first * geometry.units_per_page; i < index * geometry.units_per_page;
         ++i) {
        const Ppn paired = geometry.page(geometry.block_of(page), i);
        if (array.is_programmed(paired) && !array.is_torn(paired)) {
            array.tear(paired);
            ++torn;
        }
    }
    return torn;
}

void tear_erase(NandArray& array, BlockId block, Random& random) {
    std::vector<bool> torn(array.write_pointer(block));
    for (std::size_t i = 0; i < torn.size(); ++i) {
        torn[i] = i == 0 || random.below(2) == 0;
    }
    array.interrupt_erase(block, torn);
}

} // namespace cavern
