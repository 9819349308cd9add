#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/alloc/allocator.h"
#include "core/base/geometry.h"

namespace cavern {

class StateArchive;

/// Spreads the pages that an allocator gives to a die over its planes: in turn, planes without room
/// passed over. O(1) while planes have room.
class PlaneTurn {
  public:
    /// `space` must outlive it.
    PlaneTurn(const Geometry& geometry, const SpaceIf& space)
        : geometry_(geometry), space_(space), next_(geometry.dies(), 0) {}

    /// The plane whose turn it is, if any has room for the page.
    [[nodiscard]] std::optional<PlaneId> next(DieId die, Lpn lpn) const {
        std::uint32_t plane = next_[raw(die)];
        for (std::uint32_t tried = 0; tried < geometry_.planes_per_die; ++tried) {
            const PlaneId candidate = geometry_.plane(die, plane);
            if (space_.has_room(candidate, lpn)) {
                return candidate;
            }
            plane = plane + 1 == geometry_.planes_per_die ? 0 : plane + 1;
        }
        return std::nullopt;
    }
    /// The turn goes to the plane behind this one of the die.
    void taken(DieId die, PlaneId plane) {
        const std::uint32_t turn = geometry_.plane_in_die(plane) + 1;
        next_[raw(die)] = turn == geometry_.planes_per_die ? 0 : turn;
    }
    /// No die has room for the page: throws.
    [[noreturn]] void refuse() const { std::rethrow_exception(space_.lack_of_room()); }
    void serialize(StateArchive& archive);

  private:
    Geometry geometry_;
    const SpaceIf& space_;
    std::vector<std::uint32_t> next_; ///< per die, plane within the die
};

} // namespace cavern
