#pragma once

#include <optional>

#include "config/config.h"
#include "config/config_problem.h"

namespace cavern {

/// What keeps a part from having blocks in SLC mode (`nand.slc_blocks`), or the translation layer
/// from using them.
[[nodiscard]] std::optional<ConfigProblem> find_slc_problem(const SsdConfig& config);

} // namespace cavern
