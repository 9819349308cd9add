#pragma once

#include "app/run.h"
#include "config/config_loader.h"

namespace cavern {

/// The configuration of a run, and every fault of its command line that is known before a file is
/// opened. Throws UserError.
[[nodiscard]] ResolvedConfig resolve(const RunOptions& options);

} // namespace cavern
