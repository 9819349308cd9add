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
    CAVERN_CHECK(step_.width() == 1 && (faults_ == nullptr || !faults_->can_grow()) &&
                     handles_ == nullptr && drive.places.size() == l2p_.size() &&
                     drive.blocks.size() == blocks_.size(),
                 "what is mounted has the shape of the drive");
    pool_.take_all();
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        const MountedDrive::Block& found = drive.blocks[block];
        if (geometry_.block_in_plane(BlockId{block}) < geometry_.slc_blocks) {
            continue; // reserved
        }
        if (blocks_[block].use == BlockUse::kBad) {
            continue; // from the beginning
        }
        const PlaneId plane = geometry_.plane_of(BlockId{block});
        BlockState& state = blocks_[block];
        state.erases = found.erases;
        Wear& wear = planes_[raw(plane)].wear;
        wear.most = std::max(wear.most, found.erases);
        state.use = found.next == 0 ? BlockUse::kFree : BlockUse::kClosed;
        if (found.next == 0) {
            pool_.give_back(BlockId{block});
        }
    }
    for (std::uint64_t lpn = 0; lpn < drive.places.size(); ++lpn) {
        if (drive.places[lpn] == 0) {
            continue;
        }
        const Ppn page{drive.places[lpn] - 1};
        const BlockId block = geometry_.block_of(page);
        l2p_.set(lpn, raw(page) + 1);
        p2l_.set(raw(page), lpn);
        ++blocks_[raw(block)].valid;
        ++planes_[raw(geometry_.plane_of(block))].valid;
    }
    for (const BlockId block : drive.filled) {
        if (geometry_.is_slc(block)) {
            continue;
        }
        const PlaneId plane = geometry_.plane_of(block);
        victims_->on_open(plane, block);
        BlockState& state = blocks_[raw(block)];
        const MountedDrive::Block& found = drive.blocks[raw(block)];
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
}

} // namespace cavern
