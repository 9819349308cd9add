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

} // namespace cavern
