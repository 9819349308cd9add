#include "core/ftl/wear_leveler.h"

#include <algorithm>

namespace cavern {

void WearLeveler::on_erase(PlaneId plane, std::uint32_t erases) {
    std::uint32_t& most = planes_[raw(plane)].most;
    most = std::max(most, erases);
}

void WearLeveler::on_close(PlaneId id, BlockId block, std::uint32_t erases) {
    Plane& plane = planes_[raw(id)];
    if (plane.coldest != 0 &&
        (erases < plane.least || (erases == plane.least && raw(block) + 1 < plane.coldest))) {
        plane.least = erases;
        plane.coldest = raw(block) + 1;
    }
}

std::optional<BlockId> WearLeveler::uneven(PlaneId id, const BlockStates& blocks, BlockId first,
                                           BlockId end) {
    Plane& plane = planes_[raw(id)];
    if (plane.most - plane.least <= threshold_) {
        return std::nullopt; // even of what the least may be
    }
    find_coldest(plane, blocks, first, end);
    if (plane.coldest == 0 || plane.most - plane.least <= threshold_) {
        return std::nullopt;
    }
    return BlockId{plane.coldest - 1};
}

void WearLeveler::find_coldest(Plane& plane, const BlockStates& blocks, BlockId first,
                               BlockId end) {
    if (plane.coldest != 0) {
        const BlockState& state = blocks[plane.coldest - 1];
        if (state.use == BlockUse::kClosed && state.erases == plane.least) {
            return;
        }
    }
    plane.coldest = 0;
    for (std::uint32_t block = raw(first); block < raw(end); ++block) {
        const BlockState& state = blocks[block];
        if (state.use == BlockUse::kClosed && (plane.coldest == 0 || state.erases < plane.least)) {
            plane.least = state.erases;
            plane.coldest = block + 1;
        }
    }
    if (plane.coldest == 0) {
        plane.least = 0;
    }
}

} // namespace cavern
