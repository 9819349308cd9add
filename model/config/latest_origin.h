#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/resolved_config.h"

namespace cavern {

/// Where that key of those named was given which was given last; nothing: all have their defaults.
[[nodiscard]] std::optional<SettingOrigin> latest_origin(const ResolvedConfig& resolved,
                                                         const std::vector<std::string>& keys);

} // namespace cavern
