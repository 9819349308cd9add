#pragma once

#include <string>

namespace cavern {

/// Throws ModelError "invariant: <text> (<condition>, <file>:<line>)".
[[noreturn]] void check_failed(const char* condition, const std::string& text, const char* file,
                               int line);

} // namespace cavern

/// A broken invariant stops the run and names itself, in Release as well. `text` is built only on
/// failure.
#define CAVERN_CHECK(condition, text)                                                              \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) {                                                   \
            ::cavern::check_failed(#condition, (text), __FILE_NAME__, __LINE__);                   \
        }                                                                                          \
    } while (false)
