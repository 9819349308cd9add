#pragma once

#include <string>

#include "cpu/program.h"
#include "cpu/retired.h"

namespace cavern::cpu {

/// One line of an instruction trace: cycle, pc, instruction, its disassembly, what it did to a
/// register and to memory, and the symbol that it lies in (without a program: no symbol). "trap"
/// marks an instruction that raised an exception, "handler" the first one of a trap handler:
///
///     142 00100196 4398     lw a4,0(a5)                a4=00000007 [00200010]->00000007  main+0x8
[[nodiscard]] std::string trace_line(const Retired& retired, const Program* program);

} // namespace cavern::cpu
