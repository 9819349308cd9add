#include "cosim/verilated_messages.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace {

std::string& messages() {
    thread_local std::string text;
    return text;
}

} // namespace

int cavern_verilated_printf(const char* format, ...) {
    std::array<char, 1024> line{};
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
    va_end(arguments);
    messages() += line.data();
    return length;
}

namespace cavern {

std::string take_verilated_messages() {
    return std::exchange(messages(), {});
}

} // namespace cavern
