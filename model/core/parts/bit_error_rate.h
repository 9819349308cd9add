#pragma once

#include <cstdint>

namespace cavern {

/// The raw bit error rate of a page as a sum of power laws (B. S. Kim, J. Choi, S. L. Min, "Design
/// Tradeoffs for SSD Reliability", FAST '19):
///
///   base + wear * cycles^wear_power
///        + retention * cycles^retention_cycles_power * days^retention_power
///        + disturb * cycles^disturb_cycles_power * reads^disturb_power
///
/// `cycles`: erases of the block; `days`: since it was programmed; `reads` of a page of it since
/// then, the mean. The paper fits it to measurements of parts.
struct BitErrorRate {
    double base;
    double wear;
    double wear_power;
    double retention;
    double retention_cycles_power;
    double retention_power;
    double disturb;
    double disturb_cycles_power;
    double disturb_power;

    /// At most a half.
    [[nodiscard]] double at(double cycles, double days, double reads) const;
};

/// Parts with published coefficients.
enum class BitErrors : std::uint8_t { kNone, kMlc2y, kTlc72 };
/// Not of kNone.
[[nodiscard]] const BitErrorRate& bit_error_rate(BitErrors errors);

/// How many errors a codeword has: the quantile of a Poisson distribution of this mean, of which
/// `hash` is the place. A greater mean has no fewer errors at the same place.
[[nodiscard]] std::uint32_t poisson_quantile(double mean, std::uint64_t hash);

} // namespace cavern
