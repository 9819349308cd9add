#pragma once

#include "cosim/ibex_core.h"
#include "cpu/hart.h"

namespace cavern {

/// The fault of the instruction that has retired last, at which FaultPolicy::kStop stops; kind
/// kNone where there is none. The instruction has had no effect but a trap.
[[nodiscard]] cpu::Fault fault_of_last(const IbexCore& core, const cpu::MemorySystem& memory);

} // namespace cavern
