#pragma once

#include <cstdint>
#include <string>

namespace cavern::cpu {

/// "a0": the name of x0 to x31 in the calling convention.
[[nodiscard]] const char* register_name(std::uint32_t number);

/// The instruction at `pc` as objdump of binutils 2.40 spells it: with aliases, a space instead of
/// its tab, targets in hexadecimal, no symbols. ".2byte 0x0000" or ".4byte 0x00000000" for what is
/// illegal.
[[nodiscard]] std::string disassemble(std::uint32_t instruction, std::uint32_t pc);

} // namespace cavern::cpu
