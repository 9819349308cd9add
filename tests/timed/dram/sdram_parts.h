#pragma once

#include <vector>

#include "core/parts/sdram_timing.h"

namespace cavern {

/// Ratios that no part of the configurations has: tRC above tRAS + tRP, tCCD above BL/2.
[[nodiscard]] SdramTiming narrow();
/// The same with tCCD_S above BL/2, and tCCD_L no multiple of it.
[[nodiscard]] SdramTiming groups_of_two();
/// Every part, with one rank and with two.
[[nodiscard]] std::vector<SdramTiming> parts();

} // namespace cavern
