#pragma once

#include <cstdint>

#include "core/base/wide.h"

namespace cavern {

/// Division of 32-bit numbers by one that is known at start-up only, as a multiplication: with
/// m = ceil(2^64 / d), floor(n / d) = floor(n * m / 2^64) for all n, d < 2^32 (Lemire, Kaser, Kurz,
/// "Faster remainder by direct computation", 2019, section 3). A quarter of the time of a division,
/// which the mapping would do twice a page.
class Divisor {
  public:
    /// `divisor` >= 1.
    explicit Divisor(std::uint32_t divisor) : magic_(~std::uint64_t{0} / divisor + 1) {}

    [[nodiscard]] std::uint32_t divide(std::uint32_t n) const {
        // 2^64 / 1 does not fit and has become 0.
        return magic_ == 0 ? n : static_cast<std::uint32_t>(Uint128{magic_} * n >> 64);
    }

  private:
    std::uint64_t magic_;
};

} // namespace cavern
