#pragma once

#include <cstddef>
#include <string_view>

namespace cavern {

/// Where in the user's input a request comes from, for error messages.
struct SourcePosition {
    std::string_view file; ///< valid as long as the source
    std::size_t line = 0;  ///< from 1; 0 before the first request
};

/// A request source that can say where the request last delivered comes from.
class PositionIf {
  public:
    virtual ~PositionIf() = default;
    [[nodiscard]] virtual SourcePosition position() const = 0;
};

} // namespace cavern
