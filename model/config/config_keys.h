#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "keys/config_key.h"

namespace cavern {

/// All keys, in the order in which they are listed and printed.
[[nodiscard]] const Keys& config_keys();

/// Index of a key in config_keys(), or nothing.
[[nodiscard]] std::optional<std::size_t> find_config_key(std::string_view name);

/// Whether the name is that of a table that holds keys, such as "buffer" or "buffer.cave".
[[nodiscard]] bool is_config_section(std::string_view name);

/// What to say to the user of an unknown key: the nearest known one, if any, and where all are
/// listed.
[[nodiscard]] std::string suggest_config_key(std::string_view name,
                                             const std::vector<const Keys*>& tables = {
                                                 &config_keys()});

} // namespace cavern
