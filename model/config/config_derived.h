#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "config/drive_plan.h"

namespace cavern {

/// What follows from a configuration and is no key of it, a line each: name, value, what it is.
[[nodiscard]] std::string derived_text(const DrivePlan& plan);

/// The same as one JSON object, names and values.
[[nodiscard]] nlohmann::ordered_json derived_json(const DrivePlan& plan);

} // namespace cavern
