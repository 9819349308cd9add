#include "core/buffer/single_trigger.h"

namespace cavern {

std::uint32_t SingleTrigger::units_on_full() const {
    return 1;
}

} // namespace cavern
