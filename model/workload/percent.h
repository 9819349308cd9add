#pragma once

#include <cstdint>

namespace cavern {

/// Percentages are drawn in steps of 10^-6 percent.
inline constexpr std::uint64_t kPercentSteps = 100'000'000;
[[nodiscard]] constexpr std::uint64_t steps_of(double percent) {
    return static_cast<std::uint64_t>(percent * (kPercentSteps / 100));
}

} // namespace cavern
