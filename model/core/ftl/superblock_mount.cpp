// The superblock FTL after a loss of power.

#include "core/base/check.h"
#include "core/ftl/superblock.h"

namespace cavern {

void Superblock::mount(const MountedDrive& drive) {
    CAVERN_CHECK(drive.places.size() == logical_pages_ && mapped_ == 0,
                 "what is mounted has the shape of the drive");
    store_.mount(drive);
    const Geometry& geometry = store_.geometry();
    std::vector<std::uint32_t> holder(geometry.blocks(), 0); // superblock + 1
    for (std::uint64_t page = 0; page < logical_pages_; ++page) {
        if (drive.places[page] == 0) {
            continue;
        }
        const Ppn place{drive.places[page] - 1};
        std::uint32_t& unit = holder[raw(geometry.block_of(place))];
        if (unit == 0) {
            // Pages that are not mapped count as an older version of this one.
            const Ppn first = geometry.page(geometry.block_of(place), 0);
            for (std::uint32_t i = 0; i < pages_per_block_; ++i) {
                p2l_[raw(first) + i] = static_cast<std::uint32_t>(page);
            }
            unit = unit_of(Lpn{page}) + 1;
        }
        CAVERN_CHECK(unit == unit_of(Lpn{page}) + 1, "a block is mounted in one superblock");
        map(Lpn{page}, place);
    }
    for (const bool open : {false, true}) { // an open block is the last of its superblock
        for (const BlockId block : drive.filled) {
            if (drive.blocks[raw(block)].open == open) {
                CAVERN_CHECK(holder[raw(block)] != 0, "a block that is not erased holds pages");
                add(holder[raw(block)] - 1, block);
                if (!open) {
                    store_.close(block);
                }
            }
        }
    }
}

MountNeeds Superblock::mount_needs() const {
    MountNeeds needs;
    needs.unit_pages = std::uint64_t{room_ - updates_} * pages_per_block_;
    for (Unit unit = 0; unit < count_.size(); ++unit) {
        needs.most_of_unit.push_back(limit(unit));
    }
    return needs;
}

} // namespace cavern
