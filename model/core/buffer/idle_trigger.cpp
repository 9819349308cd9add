#include "core/buffer/idle_trigger.h"

#include "core/base/check.h"

namespace cavern {

IdleTrigger::IdleTrigger(TimePs after, double low, std::uint32_t dies)
    : after_(after), low_(low), dies_(dies) {
    CAVERN_CHECK(after >= 1 && dies >= 1, "idle eviction needs a silence and a die");
}

bool IdleTrigger::wants_more(const BufferLoad& load) {
    if (load.idle_for < after_ || load.idle_dies == 0 || load.in_flight_units >= dies_) {
        return false;
    }
    const bool more = static_cast<double>(load.resident) > low_ * load.capacity;
    counters_.units += more ? 1 : 0;
    return more;
}

} // namespace cavern
