// The page-mapping layer after a loss of power.

#include <algorithm>

#include "core/base/check.h"
#include "core/ftl/page_ftl.h"

namespace cavern {

MountNeeds PageFtl::mount_needs() const {
    MountNeeds needs{reserve_};
    for (std::uint32_t block = 0; faults_ != nullptr && block < geometry_.blocks(); ++block) {
        if (faults_->is_factory_bad(BlockId{block})) {
            needs.bad.push_back(BlockId{block});
        }
    }
    return needs;
}

void PageFtl::mount(const MountedDrive& drive) {
    const std::uint32_t width = step_.width();
    CAVERN_CHECK((faults_ == nullptr || !faults_->can_grow()) && handles_ == nullptr &&
                     drive.places.size() == l2p_.size() &&
                     drive.blocks.size() == blocks_.size() * width,
                 "what is mounted has the shape of the drive");
    pool_.take_all();
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        if (geometry_.block_in_plane(BlockId{block}) < geometry_.slc_blocks) {
            continue; // reserved
        }
        BlockState& state = blocks_[block];
        if (state.use == BlockUse::kBad) {
            continue; // from the beginning
        }
        const MountedDrive::Block found = found_in(drive, BlockId{block});
        state.erases = found.erases;
        Wear& wear = planes_[raw(geometry_.plane_of(BlockId{block}))].wear;
        wear.most = std::max(wear.most, found.erases);
        state.use = found.next == 0 ? BlockUse::kFree : BlockUse::kClosed;
        if (found.next == 0) {
            pool_.give_back(BlockId{block});
        }
    }
    const std::uint32_t pages = pages_per_block_ / width; // of a block of the flash
    for (std::uint64_t lpn = 0; lpn < drive.places.size(); ++lpn) {
        if (drive.places[lpn] == 0) {
            continue;
        }
        const std::uint64_t place = drive.places[lpn] - 1;
        const Ppn page = step_.page(BlockId{static_cast<std::uint32_t>(place / pages)},
                                    static_cast<std::uint32_t>(place % pages));
        const BlockId block = geometry_.block_of(page);
        l2p_.set(lpn, raw(page) + 1);
        p2l_.set(raw(page), lpn);
        ++blocks_[raw(block)].valid;
        ++planes_[raw(geometry_.plane_of(block))].valid;
    }
    // A block was filled when the last of its parts was.
    std::vector<std::uint32_t> parts(blocks_.size(), 0);
    for (const BlockId part : drive.filled) {
        ++parts[raw(geometry_.block_of(step_.page(part, 0)))];
    }
    for (const BlockId part : drive.filled) {
        const BlockId block = geometry_.block_of(step_.page(part, 0));
        if (--parts[raw(block)] == 0 && !geometry_.is_slc(block)) {
            mount(block, found_in(drive, block));
        }
    }
}

/// Of its parts together.
MountedDrive::Block PageFtl::found_in(const MountedDrive& drive, BlockId block) const {
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

void PageFtl::mount(BlockId block, const MountedDrive::Block& found) {
    const PlaneId plane = geometry_.plane_of(block);
    victims_->on_open(plane, block);
    BlockState& state = blocks_[raw(block)];
    if (found.open && found.next < pages_per_block_) {
        Frontier& frontier = gc_frontier(planes_[raw(plane)]);
        CAVERN_CHECK(!is_open(frontier), "one block of a plane goes on to be filled");
        const std::uint64_t first = raw(geometry_.page(block, 0));
        const std::uint64_t end = first + pages_per_block_;
        frontier = {raw(block), first + found.next, first + found.next, end, end};
        state.use = BlockUse::kOpen;
    } else if (state.valid < pages_per_block_) {
        victims_->on_garbage(plane, block);
    }
}

} // namespace cavern
