#include "core/alloc/least_loaded.h"

#include <algorithm>
#include <optional>

namespace cavern {

LeastLoaded::LeastLoaded(const Geometry& geometry, const DieLoad* load, const SpaceIf& space)
    : geometry_(geometry), load_(load), turn_(geometry, space), last_(geometry.dies() - 1),
      placed_(geometry.dies(), 0) {}

void LeastLoaded::place(const Lpn* pages, std::size_t count, PlaneId* planes) {
    std::fill(placed_.begin(), placed_.end(), 0);
    for (std::size_t i = 0; i < count; ++i) {
        planes[i] = choose(pages[i]);
    }
}

PlaneId LeastLoaded::choose(Lpn lpn) {
    const std::uint32_t dies = geometry_.dies();
    std::optional<PlaneId> best;
    std::uint32_t least = 0;
    std::uint32_t die = last_;
    for (std::uint32_t tried = 0; tried < dies; ++tried) {
        die = die + 1 == dies ? 0 : die + 1;
        const std::uint32_t pending =
            placed_[die] + (load_ != nullptr ? load_->pending(DieId{die}) : 0);
        if (best && pending >= least) {
            continue;
        }
        if (const std::optional<PlaneId> plane = turn_.next(DieId{die}, lpn)) {
            best = plane;
            least = pending;
        }
        if (best && least == 0) {
            break;
        }
    }
    if (!best) {
        turn_.refuse();
    }
    const DieId chosen = geometry_.die_of(*best);
    last_ = raw(chosen);
    ++placed_[last_];
    turn_.taken(chosen, *best);
    return *best;
}

} // namespace cavern
