#pragma once

#include "cpu/debug_if.h"
#include "cpu/hart_debug_target.h"
#include "cpu/machine.h"

namespace cavern::cpu {

/// A processor by itself, as a debugger sees it. Resetting loads the image again; memory that the
/// image does not fill keeps its content.
class MachineDebugTarget final : public HartDebugTarget {
  public:
    /// Both must outlive the target.
    MachineDebugTarget(Machine& machine, const Program& program)
        : HartDebugTarget(machine.hart()), machine_(machine), program_(program) {}
    bool reset() override {
        machine_.load(program_);
        return true;
    }

  private:
    Machine& machine_;
    const Program& program_;
};

/// Runs a machine as a debugger wants it, which is asked first, until the firmware ends the run or
/// the debugger kills it. `max_instructions` count since the last reset. Without the debugger
/// (detached) a fault ends the run as in Machine::run().
Outcome run_debugged(Machine& machine, DebuggerIf& debugger, std::uint64_t max_instructions);

} // namespace cavern::cpu
