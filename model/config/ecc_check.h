#pragma once

#include <optional>

#include "config/config.h"
#include "config/config_problem.h"

namespace cavern {

/// What keeps the keys ecc.* from describing an ECC engine of this drive.
[[nodiscard]] std::optional<ConfigProblem> find_ecc_problem(const SsdConfig& config);

} // namespace cavern
