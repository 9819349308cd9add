#pragma once

#include <string>

#include "config/resolved_config.h"

namespace cavern {

/// Cross-checks of a complete configuration. Throws UserError at the line that set the value.
void check_config(const ResolvedConfig& resolved, const std::string& file);

} // namespace cavern
