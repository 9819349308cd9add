#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cavern {

/// The fields of a line separated by commas (or `separator`). Fields beyond N are counted but not
/// kept.
template <std::size_t N>
struct Fields {
    std::array<std::string_view, N> text;
    std::size_t count = 0;

    explicit Fields(std::string_view line, char separator = ',') {
        const char* start = line.data();
        const char* const end = start + line.size();
        for (;;) {
            const auto left = static_cast<std::size_t>(end - start);
            const void* comma = left == 0 ? nullptr : std::memchr(start, separator, left);
            const char* stop = comma == nullptr ? end : static_cast<const char*>(comma);
            if (count < N) {
                text[count] = {start, static_cast<std::size_t>(stop - start)};
            }
            ++count;
            if (comma == nullptr) {
                return;
            }
            start = stop + 1;
        }
    }
};

/// The fields of a line separated by any number of spaces and tabs. Fields beyond N are counted but
/// not kept.
template <std::size_t N>
struct BlankFields {
    std::array<std::string_view, N> text;
    std::size_t count = 0;

    explicit BlankFields(std::string_view line) {
        const char* at = line.data();
        const char* const end = at + line.size();
        for (;;) {
            while (at != end && (*at == ' ' || *at == '\t')) {
                ++at;
            }
            if (at == end) {
                return;
            }
            const char* const start = at;
            while (at != end && *at != ' ' && *at != '\t') {
                ++at;
            }
            if (count < N) {
                text[count] = {start, static_cast<std::size_t>(at - start)};
            }
            ++count;
        }
    }
};

enum class NumberError : std::uint8_t {
    kNone,
    kEmpty,
    kNotANumber,
    kNegative,
    kTooLarge,
    kTooFine
};

struct Number {
    std::uint64_t value = 0;
    NumberError error = NumberError::kNone;
};

/// Treatment of digits after the point beyond those a unit can hold.
enum class ExcessDigits : std::uint8_t { kReject, kDrop };

/// A whole number in decimal digits, spaces around it allowed; at most `max`.
[[nodiscard]] Number parse_whole(std::string_view text, std::uint64_t max);

/// A decimal number times 10^`digits` (at most 16), exact: "12.5" with 6 digits is 12500000. At
/// most `max`.
[[nodiscard]] Number parse_decimal(std::string_view text, unsigned digits, std::uint64_t max,
                                   ExcessDigits excess);

/// `text` without spaces and tabs at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// `text` in double quotes for a message: at most 32 characters, the unprintable ones shown as "?".
[[nodiscard]] std::string quote(std::string_view text);
/// `text`, of another's making, for a message: one line, what is not printable ASCII shown as "?".
[[nodiscard]] std::string printable(std::string_view text);

/// "is negative", "is not a number" ...: the predicate of a message about a field.
[[nodiscard]] std::string_view describe(NumberError error);

} // namespace cavern
