#pragma once

#include <string>

#include "workload/generator.h"

namespace cavern {

/// Throws UserError naming the job where its zones make no sense.
void check_zones(const JobSpec& job, const std::string& file);

} // namespace cavern
