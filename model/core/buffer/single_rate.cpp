#include "core/buffer/single_rate.h"

namespace cavern {

std::uint32_t SingleRate::units_on_full() const {
    return 1;
}

} // namespace cavern
