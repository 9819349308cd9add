#pragma once

#include <cstdint>

#include "core/base/wide.h"

namespace cavern {

/// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): one 64-bit state, every seed good, the same
/// numbers on every machine. Each producer owns its own engine, so that streams do not disturb each
/// other.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, bound), bound > 0 (Lemire's multiply-shift; bias below 2^-64 * bound).
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>((static_cast<Uint128>(next()) * bound) >> 64);
    }

    /// Uniform in [0, 1) with 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    std::uint64_t state_;
};

} // namespace cavern
