#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace cavern {

/// Where in the user's input a request comes from, for error messages.
struct SourcePosition {
    std::string_view file;  ///< valid as long as the source
    std::size_t line = 0;   ///< from 1; 0 before the first request
    bool is_record = false; ///< the file is binary, and `line` is the number of a record
};

/// A mistake at that place: "FILE:LINE: what; right", or "FILE:record 7: ..." in a binary file.
[[nodiscard]] inline UserError error_at(const SourcePosition& where, const std::string& what,
                                        const std::string& right) {
    const std::string file(where.file);
    return where.is_record ? UserError(file + ":record " + std::to_string(where.line), what, right)
                           : UserError(file, where.line, what, right);
}

/// A request source that can say where the request last delivered comes from.
class PositionIf {
  public:
    virtual ~PositionIf() = default;
    [[nodiscard]] virtual SourcePosition position() const = 0;
};

} // namespace cavern
