// SubGroup after a loss of power.

#include "core/ftl/subgroup.h"

namespace cavern {

void SubGroup::mount(const MountedDrive& drive) {
    mount_in_place(drive, columns_, [this](Unit unit, const Columns& blocks) {
        for (std::uint32_t c = 0; c < columns_; ++c) {
            const BlockId block = blocks[c] ? *blocks[c] : store().take_near(plane_of(unit, c));
            data_[unit * columns_ + c] = raw(block) + 1;
        }
    });
}

// Copies of several superblocks may be under way on different dies, and old blocks wait for them.
// With as many blocks kept as a superblock has, any can be merged whole.
MountNeeds SubGroup::mount_needs() const {
    MountNeeds needs;
    needs.columns = columns_;
    for (Unit unit = 0; unit < units(); ++unit) {
        for (std::uint32_t c = 0; c < columns_; ++c) {
            needs.homes.push_back(plane_of(unit, c));
        }
    }
    return needs;
}

} // namespace cavern
