#pragma once

#include <cstdint>

#include "config/config.h"

namespace cavern {

/// Cycles of the arbiter's clock after which priority-age promotes a request: channel.age_limit, or
/// the time that channel.age_limit_pages pages, as they are programmed, hold the bus, rounded up.
[[nodiscard]] std::uint32_t age_limit_cycles(const SsdConfig& config);

} // namespace cavern
