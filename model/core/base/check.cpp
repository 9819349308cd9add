#include "core/base/check.h"

#include "core/base/error.h"

namespace cavern {

void check_failed(const char* condition, const std::string& text, const char* file, int line) {
    throw ModelError("invariant: " + text + " (" + condition + ", " + file + ":" +
                     std::to_string(line) + ")");
}

} // namespace cavern
