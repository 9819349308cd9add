#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cavern {

/// Decimal digits eight at a time: the lengths of the numbers in a trace vary, and a loop over
/// digits costs a mispredicted branch for each. A group is eight characters, the first in the
/// lowest byte.
namespace digits {

inline constexpr std::uint64_t kZeros = 0x3030'3030'3030'3030;

inline constexpr std::array<std::uint64_t, 17> kPowersOfTen = [] {
    std::array<std::uint64_t, 17> powers{};
    std::uint64_t power = 1;
    for (std::uint64_t& entry : powers) {
        entry = power;
        power *= 10;
    }
    return powers;
}();

inline std::uint64_t load(const char* p) {
    std::uint64_t value = 0;
    std::memcpy(&value, p, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

/// The value of a group of eight digits: pairs, then fours, then eight digits, each step adding
/// neighbours in parallel.
inline std::uint64_t value_of(std::uint64_t group) {
    group -= kZeros;
    group = (group * 10 + (group >> 8)) & 0x00FF'00FF'00FF'00FF;
    group = (group * 100 + (group >> 16)) & 0x0000'FFFF'0000'FFFF;
    return (group * 10000 + (group >> 32)) & 0xFFFF'FFFF;
}

/// How many of the first characters are digits: 0 to 8.
inline unsigned leading(std::uint64_t group) {
    constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;
    const std::uint64_t off = group ^ kZeros; // 0 to 9 for a digit
    const std::uint64_t others = (((off & ~kTops) + 0x7676'7676'7676'7676) | off) & kTops;
    return others == 0 ? 8 : static_cast<unsigned>(__builtin_ctzll(others)) / 8;
}

} // namespace digits

/// Walks along a text of at least eight characters, number by number.
class DigitScanner {
  public:
    DigitScanner(const char* begin, const char* end) : at_(begin), end_(end) {}

    /// The digits that come next, at most 16 of them, to `value`; returns how many there were.
    unsigned number(std::uint64_t& value) {
        std::uint64_t group = next_group();
        unsigned count = digits::leading(group);
        value = of_first(group, count);
        if (count == 8) {
            at_ += 8;
            group = next_group();
            const unsigned more = digits::leading(group);
            value = value * digits::kPowersOfTen[more] + of_first(group, more);
            at_ += more;
            return 8 + more;
        }
        at_ += count;
        return count;
    }
    /// The character that comes next, and past it; 0 at the end.
    char character() { return at_ == end_ ? '\0' : *at_++; }
    [[nodiscard]] bool at_end() const { return at_ == end_; }

  private:
    /// Characters beyond the end are zeros, which are no digits.
    [[nodiscard]] std::uint64_t next_group() const {
        const auto left = static_cast<std::size_t>(end_ - at_);
        if (left >= 8) {
            return digits::load(at_);
        }
        return left == 0 ? 0 : digits::load(end_ - 8) >> (8 * (8 - left));
    }
    static std::uint64_t of_first(std::uint64_t group, unsigned count) {
        if (count == 0) {
            return 0;
        }
        const unsigned unused = 8 * (8 - count);
        return digits::value_of((group << unused) |
                                (unused == 0 ? 0 : digits::kZeros >> (8 * count)));
    }

    const char* at_;
    const char* end_;
};

} // namespace cavern
