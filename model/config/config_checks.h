#pragma once

#include <string>

#include "config/resolved_config.h"

namespace cavern {

/// Checks what no single key can tell: that geometry, timing, buffer and FTL fit each other. Throws
/// UserError at the place of the value that was given last of those in conflict.
void check_config(const ResolvedConfig& resolved, const std::string& file);

} // namespace cavern
