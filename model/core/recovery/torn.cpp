#include "core/recovery/torn.h"

#include <cstddef>
#include <vector>

#include "core/data/drive_data.h"

namespace cavern {

Torn& Torn::operator+=(const Torn& other) {
    pages += other.pages;
    with_word_line += other.with_word_line;
    erases += other.erases;
    return *this;
}

std::uint64_t tear_program(NandArray& array, Ppn page, std::uint32_t word_line,
                           PageContents* contents) {
    const Geometry& geometry = array.geometry();
    array.interrupt_program(page);
    if (contents != nullptr) {
        contents->program(page, DriveData::torn());
    }
    std::uint64_t torn = 1;
    const std::uint32_t index = geometry.nand_page_in_block(page);
    const std::uint32_t first = geometry.is_slc(page) ? index : index / word_line * word_line;
    for (std::uint32_t i = first * geometry.units_per_page; i < index * geometry.units_per_page;
         ++i) {
        const Ppn paired = geometry.page(geometry.block_of(page), i);
        if (array.is_programmed(paired) && !array.is_torn(paired)) {
            array.tear(paired);
            if (contents != nullptr) {
                contents->program(paired, DriveData::torn());
            }
            ++torn;
        }
    }
    return torn;
}

void tear_erase(NandArray& array, BlockId block, Random& random, PageContents* contents) {
    std::vector<bool> torn(array.write_pointer(block));
    for (std::size_t i = 0; i < torn.size(); ++i) {
        torn[i] = i == 0 || random.below(2) == 0;
    }
    for (std::size_t i = 0; i < torn.size() && contents != nullptr; ++i) {
        if (torn[i]) {
            contents->program(array.geometry().page(block, static_cast<std::uint32_t>(i)),
                              DriveData::torn());
        }
    }
    array.interrupt_erase(block, torn);
}

Torn tear(NandArray& array, const FlashOp& op, std::uint32_t word_line, Random& random,
          PageContents* contents) {
    if (op.kind == FlashOpKind::kErase) {
        tear_erase(array, array.geometry().block_of(op.page), random, contents);
        return {0, 0, 1};
    }
    const std::uint64_t pages = tear_program(array, op.page, word_line, contents);
    return {pages, pages - 1, 0};
}

} // namespace cavern
