#include "core/drive/log_area.h"

#include "core/base/check.h"

namespace cavern {

LogArea::LogArea(const Geometry& geometry, std::uint32_t reserved)
    : geometry_(geometry), blocks_of_half_(reserved / kHalves),
      nand_pages_(geometry.pages_per_block / geometry.units_per_page),
      pages_(geometry.planes() * blocks_of_half_ * nand_pages_), programmed_(geometry.blocks()) {
    CAVERN_CHECK(reserved != 0 && reserved % kHalves == 0 && reserved < geometry.blocks_per_plane,
                 "a map log has two halves, and leaves blocks to the data");
}

BlockId LogArea::block(std::uint32_t half, std::uint32_t plane, std::uint32_t index) const {
    return geometry_.block(PlaneId{plane}, half * blocks_of_half_ + index);
}

Ppn LogArea::page(std::uint32_t half, std::uint32_t number) const {
    const std::uint32_t row = number / geometry_.planes();
    return geometry_.page(block(half, number % geometry_.planes(), row / nand_pages_),
                          row % nand_pages_ * geometry_.units_per_page);
}

void LogArea::erase(std::uint32_t half, FlashOpList& ops) {
    for (std::uint32_t index = 0; index < blocks_of_half_; ++index) {
        for (std::uint32_t plane = 0; plane < geometry_.planes(); ++plane) {
            const BlockId id = block(half, plane, index);
            if (programmed_[raw(id)]) {
                ops.push_back({FlashOpKind::kErase, Origin::kCheckpoint, geometry_.page(id, 0)});
                programmed_[raw(id)] = false;
            }
        }
    }
}

void LogArea::program(std::uint32_t half, std::uint32_t number, PageVersion version, bool records,
                      FlashOpList& ops) {
    const Ppn first = page(half, number);
    for (std::uint32_t unit = 0; unit < geometry_.units_per_page; ++unit) {
        FlashOp& op =
            ops.emplace_back(FlashOpKind::kProgram, Origin::kCheckpoint, Ppn{raw(first) + unit});
        op.version = version;
        op.records = records && unit == 0;
    }
    programmed_[raw(geometry_.block_of(first))] = true;
}

void LogArea::look_at(const NandArray& array) {
    for (std::uint32_t plane = 0; plane < geometry_.planes(); ++plane) {
        for (std::uint32_t index = 0; index < kHalves * blocks_of_half_; ++index) {
            const BlockId id = geometry_.block(PlaneId{plane}, index);
            programmed_[raw(id)] =
                array.write_pointer(id) != 0 || array.is_programmed(geometry_.page(id, 0));
        }
    }
}

bool LogArea::holds(const NandArray& array, std::uint32_t half, std::uint32_t number,
                    PageVersion version) const {
    const Ppn first = page(half, number);
    // What is left of a block whose erase was cut short is not to be trusted.
    if (array.is_torn(geometry_.page(geometry_.block_of(first), 0))) {
        return false;
    }
    for (std::uint32_t unit = 0; unit < geometry_.units_per_page; ++unit) {
        const Ppn each{raw(first) + unit};
        if (!array.is_programmed(each) || array.is_torn(each) ||
            array.stored_version(each) != version) {
            return false;
        }
    }
    return true;
}

PageVersion LogArea::number(const NandArray& array, std::uint32_t half,
                            std::uint32_t number) const {
    const PageVersion version = array.stored_version(page(half, number));
    return holds(array, half, number, version) ? version : 0;
}

} // namespace cavern
