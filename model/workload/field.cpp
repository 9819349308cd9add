#include "workload/field.h"

#include <algorithm>
#include <limits>

#include "workload/digits.h"

namespace cavern {
namespace {

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kTenTo8 = 100'000'000;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Digits in groups of eight, each converted in one go.
template <std::size_t Groups>
class DigitGroups {
  public:
    DigitGroups() { std::memset(text_, '0', sizeof text_); }

    /// Puts `digits` so that they end `from_end` characters before the end.
    void put(std::string_view digits, std::size_t from_end) {
        std::memcpy(text_ + sizeof text_ - from_end - digits.size(), digits.data(), digits.size());
    }

    /// The value; false where a character is no digit.
    [[nodiscard]] bool convert(std::uint64_t& value) const {
        bool good = true;
        value = 0;
        for (std::size_t i = 0; i < Groups; ++i) {
            const std::uint64_t group = digits::load(text_ + 8 * i);
            good = good && all_digits(group);
            value = value * kTenTo8 + digits::value_of(group);
        }
        return good;
    }

  private:
    /// Every byte is 0x30..0x39: high half 3, and still 3 after adding 6.
    static bool all_digits(std::uint64_t group) {
        constexpr std::uint64_t kHigh = 0xF0F0'F0F0'F0F0'F0F0;
        constexpr std::uint64_t kSixes = 0x0606'0606'0606'0606;
        return (((group & kHigh) ^ digits::kZeros) |
                (((group + kSixes) & kHigh) ^ digits::kZeros)) == 0;
    }

    char text_[8 * Groups];
};

/// The error of a text that does not begin with a digit.
NumberError wrong_start(std::string_view text) {
    if (text.empty()) {
        return NumberError::kEmpty;
    }
    if (text.size() > 1 && text[0] == '-' && is_digit(text[1])) {
        return NumberError::kNegative;
    }
    return NumberError::kNotANumber;
}

/// Digit by digit: any length, with the kinds of mistake told apart.
Number parse_slowly(std::string_view text, std::uint64_t max) {
    if (text.empty() || !is_digit(text.front())) {
        return {0, wrong_start(text)};
    }
    Number number;
    for (const char c : text) {
        if (!is_digit(c)) {
            return {0, NumberError::kNotANumber};
        }
        if (__builtin_mul_overflow(number.value, std::uint64_t{10}, &number.value) ||
            __builtin_add_overflow(number.value, static_cast<std::uint64_t>(c - '0'),
                                   &number.value)) {
            number.error = NumberError::kTooLarge;
        }
    }
    if (number.error == NumberError::kNone && number.value > max) {
        number.error = NumberError::kTooLarge;
    }
    return number;
}

template <std::size_t Groups>
bool parse_groups(std::string_view text, std::uint64_t& value) {
    DigitGroups<Groups> groups;
    groups.put(text, 0);
    return groups.convert(value);
}

/// The digits after a point, as if there were `digits` of them.
template <std::size_t Groups>
bool parse_fraction(std::string_view text, unsigned digits, std::uint64_t& value) {
    DigitGroups<Groups> groups;
    groups.put(text, digits - text.size());
    return groups.convert(value);
}

/// A whole number without spaces around it.
Number parse_digits(std::string_view text, std::uint64_t max) {
    constexpr std::size_t kAlwaysFits = 19;
    std::uint64_t value = 0;
    bool good = false;
    if (text.size() <= 8) {
        good = !text.empty() && parse_groups<1>(text, value);
    } else if (text.size() <= 16) {
        good = parse_groups<2>(text, value);
    } else if (text.size() <= kAlwaysFits) {
        good = parse_groups<3>(text, value);
    }
    if (good && value <= max) {
        return {value, NumberError::kNone};
    }
    return parse_slowly(text, max);
}

} // namespace

Number parse_whole(std::string_view text, std::uint64_t max) {
    return parse_digits(trimmed(text), max);
}

Number parse_decimal(std::string_view text, unsigned digits, std::uint64_t max,
                     ExcessDigits excess) {
    text = trimmed(text);
    const std::size_t point = text.find('.');
    const bool has_fraction = point != std::string_view::npos && point + 1 < text.size();
    // "5." and ".5" are numbers, "." is not.
    Number number =
        point == 0 && has_fraction ? Number{} : parse_digits(text.substr(0, point), kMax64);
    if (number.error == NumberError::kEmpty && point == 0) {
        number.error = NumberError::kNotANumber;
    }
    if (number.error != NumberError::kNone) {
        return number;
    }
    std::uint64_t fraction = 0;
    if (has_fraction) {
        const std::string_view all = text.substr(point + 1);
        const std::string_view kept = all.substr(0, digits);
        const bool good = digits <= 8 ? parse_fraction<1>(kept, digits, fraction)
                                      : parse_fraction<2>(kept, digits, fraction);
        if (!good || !std::all_of(all.begin() + kept.size(), all.end(), is_digit)) {
            return {0, NumberError::kNotANumber};
        }
        if (all.size() > digits && excess == ExcessDigits::kReject) {
            return {0, NumberError::kTooFine};
        }
    }
    if (__builtin_mul_overflow(number.value, digits::kPowersOfTen[digits], &number.value) ||
        __builtin_add_overflow(number.value, fraction, &number.value) || number.value > max) {
        number.error = NumberError::kTooLarge;
    }
    return number;
}

std::string quote(std::string_view text) {
    constexpr std::size_t kMost = 32;
    return "\"" + printable(text.substr(0, kMost)) + (text.size() > kMost ? "...\"" : "\"");
}

std::string printable(std::string_view text) {
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
}

std::string_view describe(NumberError error) {
    switch (error) {
    case NumberError::kEmpty:
        return "is missing";
    case NumberError::kNegative:
        return "is negative";
    case NumberError::kTooLarge:
        return "is too large";
    case NumberError::kTooFine:
        return "has too many digits after the point";
    case NumberError::kNone:
    case NumberError::kNotANumber:
        break;
    }
    return "is not a number";
}

} // namespace cavern
