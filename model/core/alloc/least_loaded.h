#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/alloc/plane_turn.h"
#include "core/base/die_load.h"
#include "core/base/geometry.h"

namespace cavern {

class StateArchive;

/// Every page goes to the die that has least to do: fewest operations pending, what this batch gave
/// it included; of several, the next in cyclic order after the die chosen last. Dies without room
/// are passed over. For translation layers that map pages. O(dies) per page. Without time nothing
/// is ever pending, and dies take turns.
class LeastLoaded final : public AllocatorIf {
  public:
    explicit LeastLoaded(const AllocatorContext& context)
        : LeastLoaded(context.geometry, context.load, context.space) {}
    /// `space` must outlive the allocator. `load` may be null: every die idle.
    LeastLoaded(const Geometry& geometry, const DieLoad* load, const SpaceIf& space);

    /// Throws ModelError if no plane of the drive has room.
    void place(const Lpn* pages, std::size_t count, PlaneId* planes) override;
    void serialize(StateArchive& archive) override;

  private:
    [[nodiscard]] PlaneId choose(Lpn lpn);

    Geometry geometry_;
    const DieLoad* load_;
    PlaneTurn turn_;
    std::uint32_t last_;                ///< die chosen last
    std::vector<std::uint32_t> placed_; ///< per die: pages of the batch being placed
};

} // namespace cavern
