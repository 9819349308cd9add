#pragma once

#include <optional>

#include "config/config.h"
#include "config/config_problem.h"

namespace cavern {

/// What keeps a drive from holding data (`data.store`).
[[nodiscard]] std::optional<ConfigProblem> find_data_problem(const SsdConfig& config);

} // namespace cavern
