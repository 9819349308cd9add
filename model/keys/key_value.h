#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/toml.h"
#include "keys/config_key.h"

namespace cavern {

/// Where a piece of configuration was written.
struct Place {
    std::string file;
    std::size_t line = 1;
};

/// What a key accepts, for the second half of an error: "a whole number from 1 to 64".
[[nodiscard]] std::string accepted_values(const ConfigKey& key);

/// Reads the value of a key and checks type, unit, range and word. Throws UserError.
[[nodiscard]] ConfigValue read_value(const ConfigKey& key, const toml::node& node,
                                     const Place& place);

/// Reads text in which strings need no quotes: a default of the table, or VALUE of --set. Throws
/// UserError.
[[nodiscard]] ConfigValue read_bare_value(const ConfigKey& key, std::string_view text,
                                          const Place& place);

/// KEY=VALUE of --set, without blanks around either. Throws UserError where there is no "=".
[[nodiscard]] std::pair<std::string, std::string> split_setting(std::string_view text,
                                                                const Place& place);

/// The value as read_bare_value() reads it back: TOML in which strings have no quotes.
[[nodiscard]] std::string bare_text(const ConfigKey& key, const ConfigValue& value);

/// The value as TOML that read_value reads back as the same; also valid JSON.
[[nodiscard]] std::string value_text(const ConfigKey& key, const ConfigValue& value);

/// Text in quotes, with escapes that TOML and JSON share.
[[nodiscard]] std::string in_quotes(std::string_view text);

} // namespace cavern
