#pragma once

#include <string>
#include <vector>

namespace cavern {

/// Why keys of a configuration do not go together.
struct ConfigProblem {
    std::vector<std::string> keys; ///< of which the last one given is at fault
    std::string what;
    std::string right; ///< what would be right
};

} // namespace cavern
