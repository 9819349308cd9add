#pragma once

#include <cstdint>

#include "core/base/wide.h"

namespace cavern {

/// Division by a number of 32 bits that is known at start-up only, as a multiplication: with
/// m = ceil(2^64 / d), floor(n / d) = floor(n * m / 2^64) as long as n * d < 2^64 (Lemire, Kaser,
/// Kurz, "Faster remainder by direct computation", 2019, section 3). A quarter of the time of a
/// division, which the mapping would do twice a page.
class Divisor {
  public:
    /// `divisor` >= 1.
    explicit Divisor(std::uint32_t divisor) : magic_(~std::uint64_t{0} / divisor + 1) {}

    /// The quotient must have 32 bits.
    [[nodiscard]] std::uint32_t divide(std::uint64_t n) const {
        return static_cast<std::uint32_t>(quotient(n));
    }
    [[nodiscard]] std::uint64_t quotient(std::uint64_t n) const {
        // 2^64 / 1 does not fit and has become 0.
        return magic_ == 0 ? n : quotient_above_one(n);
    }
    /// The same for a divisor >= 2.
    [[nodiscard]] std::uint64_t quotient_above_one(std::uint64_t n) const {
        return static_cast<std::uint64_t>(Uint128{magic_} * n >> 64);
    }

  private:
    std::uint64_t magic_;
};

/// The same for numbers of 64 bits, whose division takes up to 90 clocks: with 2^l the first power
/// of two not below d and m = floor(2^64 * (2^l - d) / d) + 1, floor(n / d) = floor((n + floor(n *
/// m / 2^64)) / 2^l), halved once on the way so that the sum fits (Granlund and Montgomery,
/// "Division by invariant integers using multiplication", PLDI 1994, figure 4.1).
class WideDivisor {
  public:
    /// `divisor` >= 1.
    explicit WideDivisor(std::uint64_t divisor) : value_(divisor) {
        const unsigned bits =
            divisor == 1 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(divisor - 1));
        const Uint128 above = (Uint128{1} << bits) - divisor;
        magic_ = static_cast<std::uint64_t>((above << 64) / divisor) + 1;
        first_shift_ = bits == 0 ? 0 : 1;
        second_shift_ = bits == 0 ? 0 : bits - 1;
    }

    [[nodiscard]] std::uint64_t divide(std::uint64_t n) const {
        const auto part = static_cast<std::uint64_t>(Uint128{magic_} * n >> 64);
        return (part + ((n - part) >> first_shift_)) >> second_shift_;
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_;
    std::uint64_t magic_;
    unsigned first_shift_;
    unsigned second_shift_;
};

} // namespace cavern
