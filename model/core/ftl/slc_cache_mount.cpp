// The cache in SLC mode after a loss of power.

#include "core/ftl/slc_cache.h"

namespace cavern {

void SlcCache::mount(const MountedDrive& drive) {
    PageFtl::mount(drive);
    const Geometry& geometry = space_.geometry();
    for (const BlockId block : drive.filled) {
        if (geometry.is_slc(block)) { // the last one of a plane was filled last
            regions_[raw(geometry.plane_of(block))].oldest = geometry.block_in_plane(block);
        }
    }
    for (std::uint32_t plane = 0; plane < regions_.size(); ++plane) {
        mount(regions_[plane], PlaneId{plane}, drive);
    }
}

/// The block filled last ends the turn, and the first one behind it that is not erased begins it.
/// One between them that lost all its pages is erased once more when its turn comes.
void SlcCache::mount(Region& region, PlaneId plane, const MountedDrive& drive) {
    const Geometry& geometry = space_.geometry();
    const auto state_of = [&](std::uint32_t index) -> const MountedDrive::Block& {
        return drive.blocks[raw(geometry.block(plane, index % geometry.slc_blocks))];
    };
    const std::uint32_t newest = region.oldest;
    for (std::uint32_t i = 0; i < geometry.slc_blocks; ++i) {
        space_.block(geometry.block(plane, i)).erases = state_of(i).erases;
    }
    if (state_of(newest).next == 0) {
        return; // all are
    }
    std::uint32_t first = newest + 1;
    while (state_of(first).next == 0) {
        ++first;
    }
    region.oldest = first % geometry.slc_blocks;
    region.used = newest + geometry.slc_blocks - first + 1;
    for (std::uint32_t place = 0; place < region.used; ++place) {
        space_.block(block(plane, region, place)).use = BlockUse::kSlc;
    }
    const std::uint64_t begin = raw(geometry.page(geometry.block(plane, newest), 0));
    region.next = begin + state_of(newest).next;
    region.end = begin + geometry.slc_pages;
    if (region.used == geometry.slc_blocks) {
        region.pace.begin(space_.block(block(plane, region, 0)).valid, geometry.slc_pages);
    }
}

} // namespace cavern
