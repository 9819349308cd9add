#pragma once

#include <string>

namespace cavern {

/// "serve, library": parts that this program was built without (-DCAVERN_SERVE=OFF), empty: none.
[[nodiscard]] std::string built_without();
/// Throws UserError: it would need one of them.
[[noreturn]] void refuse_built_without(const std::string& part);

} // namespace cavern
