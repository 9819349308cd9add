#pragma once

#include <cstdint>
#include <string>

namespace cavern::cpu {

/// GDB's number of a register of RISC-V: x0 to x31, then pc, and the control and status registers
/// from kGdbFirstCsr on.
inline constexpr std::uint32_t kGdbPc = 32;
inline constexpr std::uint32_t kGdbFirstCsr = 65;

/// The registers as GDB reads them (GDB manual, appendix G: features org.gnu.gdb.riscv.cpu and
/// org.gnu.gdb.riscv.csr). Of the control and status registers those that hold something: event
/// counters, which this processor is built without, are left out.
[[nodiscard]] const std::string& gdb_target_description();

} // namespace cavern::cpu
