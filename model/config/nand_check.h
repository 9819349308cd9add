#pragma once

#include <optional>

#include "config/config.h"
#include "config/config_problem.h"

namespace cavern {

/// What keeps the commands of the dies from working together.
[[nodiscard]] std::optional<ConfigProblem> find_nand_problem(const SsdConfig& config);

} // namespace cavern
