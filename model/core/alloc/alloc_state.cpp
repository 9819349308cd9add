#include "core/alloc/adaptive.h"
#include "core/alloc/block_round_robin.h"
#include "core/alloc/least_loaded.h"
#include "core/alloc/plane_turn.h"
#include "core/base/state_archive.h"

namespace cavern {

void PlaneTurn::serialize(StateArchive& archive) {
    archive(next_);
}

void Adaptive::serialize(StateArchive& archive) {
    archive(turn_, width_, epoch_began_, next_home_, stripes_);
}

void BlockRoundRobin::serialize(StateArchive& archive) {
    archive(turn_, next_die_, homes_);
}

void LeastLoaded::serialize(StateArchive& archive) {
    archive(turn_, last_);
}

} // namespace cavern
