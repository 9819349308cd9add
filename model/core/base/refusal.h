#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cavern {

/// Why something cannot be as it is asked for: from the layer that knows it to the screen.
struct Refusal {
    /// Of the configuration: the one of them that was given last is at fault. None: the caller
    /// knows them.
    std::vector<std::string> keys{};
    std::string what;
    std::string right; ///< what would be right

    [[nodiscard]] std::string text() const { return what + "; " + right; }
};

/// Nothing: it can be so.
using Refused = std::optional<Refusal>;

} // namespace cavern
