#pragma once

#include <string>
#include <vector>

#include "config/drive_plan.h"

namespace cavern {

/// The drive that others name: a file, or by a name without a slash one of those that come with the
/// library. Its time is modelled, and it holds data. Throws UserError.
[[nodiscard]] DrivePlan open_config(const std::string& name,
                                    const std::vector<std::string>& overrides);

/// Takes the one drive that a process can have. Throws UserError when there was one already.
void take_the_kernel(const std::string& name);

/// Both, for a module.
[[nodiscard]] DrivePlan take_config(const std::string& name,
                                    const std::vector<std::string>& overrides);

} // namespace cavern
