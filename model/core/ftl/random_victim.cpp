#include "core/ftl/random_victim.h"

namespace cavern {

std::optional<BlockId> RandomVictim::choose(PlaneId plane) {
    const std::uint32_t count = candidates_.count(plane);
    if (count == 0) {
        return std::nullopt;
    }
    Random random = candidates_.random(plane, seed_);
    return candidates_.at(plane, static_cast<std::uint32_t>(random.below(count)));
}

} // namespace cavern
