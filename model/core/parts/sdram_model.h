#pragma once

#include <array>
#include <cstdint>

#include "core/base/knob.h"

namespace cavern {

enum class SdramModel : std::uint8_t { kBanked, kIdeal };

inline constexpr std::array<KnobWord, 2> kSdramModels{{
    {"banked", "Banks, rows and refresh take the time that the part gives."},
    {"ideal", "Every access is done at once."},
}};

/// Whether accesses compete for the SDRAM.
enum class SdramScheduling : std::uint8_t { kAhead, kFrFcfs };

inline constexpr std::array<KnobWord, 2> kSdramSchedulings{{
    {"ahead",
     "An access of one row that finds nothing queued is timed whole when it comes, and what comes "
     "later waits behind it; other accesses queue and compete."},
    {"fr-fcfs", "Every access queues and competes, first ready, first come, whatever its size."},
}};

} // namespace cavern
