#pragma once

#include <cstdint>
#include <vector>

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

/// How many read voltages the pages of a word line need, by page type: the states of a cell differ
/// from their neighbours in one bit each (Gray code), and a page is read at the voltages where its
/// bit changes. A cell that is taken for its neighbour is an error of one page, so that pages share
/// the errors of a word line as they share the voltages, if these are crossed equally often.
enum class PageCoding : std::uint8_t { kEven, k12, k124, k232, k1248 };
/// By page type: its errors, as a multiple of the mean of all types. Empty for kEven.
[[nodiscard]] std::vector<double> page_shares(PageCoding coding);

/// How many errors a codeword has: the quantile of a Poisson distribution of this mean, of which
/// `hash` is the place. A greater mean has no fewer errors at the same place.
[[nodiscard]] std::uint32_t poisson_quantile(double mean, std::uint64_t hash);

} // namespace cavern
