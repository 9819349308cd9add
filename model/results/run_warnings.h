#pragma once

#include <string>
#include <vector>

#include "results/run_results.h"

namespace cavern {

/// Warnings of what is easily overlooked, a sentence each: figures that mean little, or other than
/// they seem.
[[nodiscard]] std::vector<std::string> run_warnings(const RunResults& run);

} // namespace cavern
