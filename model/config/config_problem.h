#pragma once

#include <string>
#include <vector>

namespace cavern {

/// What is wrong with a configuration.
struct ConfigProblem {
    std::vector<std::string> keys; ///< of which the last one given is at fault
    std::string what;
    std::string right; ///< what would be right
};

} // namespace cavern
