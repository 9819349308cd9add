#pragma once

#include <string>

/// The Verilator runtime is compiled with VL_PRINTF set to this function: a failed property says
/// its name only in print, and standard output belongs to the program.
extern "C" int cavern_verilated_printf(const char* format, ...)
    __attribute__((format(printf, 1, 2)));

namespace cavern {

/// Text of this thread's models since the last call.
std::string take_verilated_messages();

} // namespace cavern
