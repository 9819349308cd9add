#include "core/buffer/cave_trigger.h"

#include "core/base/check.h"

namespace cavern {

CaveTrigger::CaveTrigger(std::uint32_t victims, bool block_all)
    : victims_(victims), block_all_(block_all) {
    CAVERN_CHECK(victims >= 1, "the rate cave needs at least one victim");
}

std::uint32_t CaveTrigger::units_on_full() const {
    return victims_;
}

} // namespace cavern
