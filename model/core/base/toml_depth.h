#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace cavern {

inline constexpr std::size_t kMostKeyParts = 64;

/// The line of the first dotted key with more than kMostKeyParts parts, if there is one: toml++
/// takes such a text apart by recursion, and its stack ends somewhere.
[[nodiscard]] inline std::optional<std::size_t> line_of_deep_key(std::string_view text) {
    std::size_t line = 1;
    std::size_t dots = 0;
    char quote = 0;
    bool comment = false;
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            dots = 0;
            quote = 0;
            comment = false;
        } else if (comment) {
            continue;
        } else if (quote != 0) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            comment = true;
        } else if (c == '.') {
            if (++dots >= kMostKeyParts) {
                return line;
            }
        } else if (c == ',' || c == '=' || c == '[' || c == ']' || c == '{') {
            dots = 0;
        }
    }
    return std::nullopt;
}

} // namespace cavern
