#pragma once

#include <string>
#include <string_view>

#include "core/base/toml.h"

namespace cavern {

/// A value of a TOML file, with what a message about it needs.
struct TomlValue {
    const std::string& file;
    std::string_view key;
    const toml::node& node;

    /// Throws a UserError at the value: "KEY WHAT; RIGHT".
    [[noreturn]] void fail(const std::string& what, const std::string& right) const;
    [[nodiscard]] std::string text() const;
};

/// `text` of `file`, parsed. Throws UserError where it is no TOML, with `right`: what the file is.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& file,
                                     const std::string& right);

} // namespace cavern
