// The physical side of a page-mapped layer after a loss of power.

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/flash_space.h"

namespace cavern {

void FlashSpace::mount(const MountedDrive& drive, std::uint64_t first_table) {
    CAVERN_CHECK(!can_fail() && drive.blocks.size() == blocks_.size() * step_.width(),
                 "what is mounted has the shape of the drive");
    pool_.take_all();
    for (std::uint32_t index = 0; index < geometry_.blocks(); ++index) {
        const BlockId block{index};
        BlockState& state = blocks_[index];
        if (geometry_.block_in_plane(block) < geometry_.slc_blocks || // reserved
            state.use == BlockUse::kBad) {                            // from the beginning
            continue;
        }
        const MountedDrive::Block found = found_in(drive, block);
        state.erases = found.erases;
        if (wear_ != nullptr) {
            wear_->on_erase(plane_of(block), found.erases);
        }
        state.use = found.next == 0 ? BlockUse::kFree : BlockUse::kClosed;
        if (found.next == 0) {
            pool_.give_back(block);
        }
    }
    for (std::uint64_t owner = 0; owner < drive.places.size(); ++owner) {
        if (drive.places[owner] == 0) {
            continue;
        }
        const Ppn page = in_step(Ppn{drive.places[owner] - 1});
        owners_.set(raw(page), owner);
        BlockState& state = blocks_[raw(block_of(page))];
        ++state.valid;
        state.tables = owner >= first_table;
        ++planes_[raw(plane_of(block_of(page)))].valid;
    }
    // A block was filled when the last of its parts was.
    std::vector<std::uint32_t> parts(blocks_.size(), 0);
    for (const BlockId part : drive.filled) {
        ++parts[raw(block_of(step_.page(part, 0)))];
    }
    for (const BlockId part : drive.filled) {
        const BlockId block = block_of(step_.page(part, 0));
        if (--parts[raw(block)] == 0 && !geometry_.is_slc(block)) {
            mount_used(block, found_in(drive, block));
        }
    }
}

/// Of its parts together.
MountedDrive::Block FlashSpace::found_in(const MountedDrive& drive, BlockId block) const {
    MountedDrive::Block found;
    for (std::uint32_t place = 0; place < step_.width(); ++place) {
        const BlockId part = step_.block_in_flash(block, place);
        const MountedDrive::Block& each = drive.blocks[raw(part)];
        found.erases = std::max(found.erases, each.erases);
        found.open |= each.open;
        if (each.next != 0) {
            const Ppn last = step_.page(part, each.next - 1);
            found.next = std::max(found.next, geometry_.page_in_block(last) + 1);
        }
    }
    return found;
}

/// Blocks left open go on to be filled with copies, or with pages of the layer's map.
void FlashSpace::mount_used(BlockId block, const MountedDrive::Block& found) {
    const PlaneId plane = plane_of(block);
    victims_->on_open(plane, block);
    BlockState& state = blocks_[raw(block)];
    if (found.open && found.next < geometry_.pages_per_block) {
        Frontier& open = frontier(plane, state.tables ? streams_.table() : streams_.copy());
        CAVERN_CHECK(!open.is_open(), "one block of a plane and kind goes on to be filled");
        const std::uint64_t first = raw(geometry_.page(block, 0));
        const std::uint64_t end = first + geometry_.pages_per_block;
        open = {raw(block), first + found.next, first + found.next, end, end};
        state.use = BlockUse::kOpen;
    } else if (state.valid < geometry_.pages_per_block) {
        victims_->on_garbage(plane, block);
    }
}

} // namespace cavern
