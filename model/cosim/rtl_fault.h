#pragma once

#include "cosim/ibex_core.h"
#include "cpu/hart.h"

namespace cavern {

/// What FaultPolicy::kStop stops at, of the instruction that has retired last; kind kNone where it
/// is nothing of that. The instruction has had no effect but a trap.
[[nodiscard]] cpu::Fault fault_of_last(const IbexCore& core, const cpu::MemorySystem& memory);

} // namespace cavern
