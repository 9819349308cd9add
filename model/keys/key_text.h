#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "keys/config_key.h"

namespace cavern {

/// The value where nobody gives one, or a word for why there is none.
[[nodiscard]] std::string default_text(const ConfigKey& key);

/// One line per key: name, what it accepts, default, meaning. `width`: columns of the terminal, at
/// which lines are broken; 0: they are not.
[[nodiscard]] std::string list_keys(const std::vector<const ConfigKey*>& keys,
                                    std::size_t width = 0);

/// All that is known of one key.
[[nodiscard]] std::string explain_key(const ConfigKey& key);

} // namespace cavern
