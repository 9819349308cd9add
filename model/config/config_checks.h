#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/resolved_config.h"

namespace cavern {

/// Checks what no single key can tell: that geometry, timing, buffer and FTL fit each other. Throws
/// UserError at the place of the value that was given last of those in conflict.
void check_config(const ResolvedConfig& resolved, const std::string& file);

/// Where that key of those named was given which was given last; nothing: all have their defaults.
[[nodiscard]] std::optional<SettingOrigin> latest_origin(const ResolvedConfig& resolved,
                                                         const std::vector<std::string>& keys);

} // namespace cavern
