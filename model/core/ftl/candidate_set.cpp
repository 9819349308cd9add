#include "core/ftl/candidate_set.h"

#include "core/base/check.h"

namespace cavern {

void CandidateSet::remove(PlaneId plane, BlockId block) {
    const std::uint32_t position = position_[raw(block)];
    CAVERN_CHECK(position != 0, "a block that is no candidate is collected");
    const std::uint32_t last = list_[first(plane) + --count_[raw(plane)]];
    list_[first(plane) + position - 1] = last;
    position_[last] = position;
    position_[raw(block)] = 0;
    ++turn_[raw(plane)];
}

// Seed, plane and turn each go through the generator, whose streams for neighbouring seeds overlap.
Random CandidateSet::random(PlaneId plane, std::uint64_t seed) const {
    const std::uint64_t of_plane = Random(Random(seed).next() + raw(plane)).next();
    return Random(Random(of_plane + turn_[raw(plane)]).next());
}

} // namespace cavern
