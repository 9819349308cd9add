#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace cavern::testing {

// The small drive's part, that of CAVE at 30 ns a byte and a cycle, and a host link of 200 MB/s.
inline constexpr std::uint32_t kPageBytes = 2048;
inline constexpr TimePs kCommand = 7 * 30 * kNs;
inline constexpr TimePs kPage = 2112 * 30 * kNs;
inline constexpr TimePs kTr = 25 * kUs;
inline constexpr TimePs kTprog = 200 * kUs;
inline constexpr TimePs kLink = 10'240 * kNs;

} // namespace cavern::testing
