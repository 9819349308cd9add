#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/divisor.h"
#include "core/base/wide.h"

namespace cavern {

/// Simulated time in picoseconds: the resolution of the SystemC kernel the model runs under. 2^63
/// ps is 106 days.
using TimePs = std::uint64_t;

inline constexpr TimePs kPs = 1;
inline constexpr TimePs kNs = 1000 * kPs;
inline constexpr TimePs kUs = 1000 * kNs;
inline constexpr TimePs kMs = 1000 * kUs;
inline constexpr TimePs kSecond = 1000 * kMs;
inline constexpr std::uint64_t kFsPerSecond = 1000 * kSecond;
inline constexpr TimePs kNever = ~TimePs{0};

/// In whole nanoseconds, to the nearest.
[[nodiscard]] constexpr std::uint64_t to_ns(TimePs time) {
    return (time + kNs / 2) / kNs;
}

[[nodiscard]] constexpr bool is_power_of_two(std::uint64_t n) {
    return n != 0 && (n & (n - 1)) == 0;
}

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// From `begin` up to, not including, `end`.
struct TimeWindow {
    TimePs begin = 0;
    TimePs end = kNever;
    [[nodiscard]] constexpr bool contains(TimePs time) const { return time >= begin && time < end; }
};

/// What a quantity in a configuration measures; decides which units it accepts.
enum class Quantity { kTime, kBytes, kBytesPerSecond, kHertz, kVolts, kAmperes, kWatts, kJoules };

/// Parses "25us", "2KiB", "200MB/s", "400MHz". Time gives picoseconds, sizes bytes, rates bytes (or
/// hertz) per second; electrical quantities give mV, nA, uW and fJ. A rate also accepts "200MT/s":
/// 10^6 transfers of one byte a second. Decimal prefixes are powers of 1000, binary ones (Ki, Mi,
/// Gi, Ti) powers of 1024. Returns nothing when the text is no such quantity, is negative, is not a
/// whole number of the base unit or overflows.
[[nodiscard]] std::optional<std::uint64_t> parse_quantity(std::string_view text, Quantity quantity);

/// One line for an error message: which units a quantity accepts, with an example.
[[nodiscard]] std::string_view accepted_units(Quantity quantity);

/// The units a quantity accepts.
[[nodiscard]] std::vector<std::string_view> unit_names(Quantity quantity);

/// The shortest text that parse_quantity reads back as the same value: "25us", "2KiB", "200MB/s".
[[nodiscard]] std::string format_quantity(std::uint64_t value, Quantity quantity);

/// Time to move `bytes` at `bytes_per_second`, rounded up to a picosecond.
[[nodiscard]] constexpr TimePs transfer_time(std::uint64_t bytes, std::uint64_t bytes_per_second) {
    const auto product = static_cast<Uint128>(bytes) * kSecond;
    return static_cast<TimePs>((product + bytes_per_second - 1) / bytes_per_second);
}
/// The same, without a division where 64 bits do.
[[nodiscard]] inline TimePs transfer_time(std::uint64_t bytes,
                                          const WideDivisor& bytes_per_second) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(bytes, kSecond, &product) ||
        __builtin_add_overflow(product, bytes_per_second.value() - 1, &product)) {
        return transfer_time(bytes, bytes_per_second.value());
    }
    return bytes_per_second.divide(product);
}

/// For people: "29.76 GiB".
[[nodiscard]] std::string size_text(double bytes);
[[nodiscard]] inline std::string size_text(std::uint64_t bytes) {
    return size_text(static_cast<double>(bytes));
}

} // namespace cavern
