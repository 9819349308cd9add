#pragma once

#include <cstdint>

#include "cpu/hart.h"

namespace cavern::cpu {

/// Why a processor stands, as a debugger is told.
struct DebugStop {
    enum class Why {
        kStart,      ///< nothing is executed yet
        kStep,       ///< the instruction asked for is executed
        kBreakpoint, ///< the next instruction is at one
        kWatchpoint, ///< the next instruction is about to make the access `hit`
        kInterrupt,  ///< the debugger asked for it
        kFault,      ///< the next instruction cannot be executed: `fault`
        kWaiting,    ///< WFI, and nothing will ever raise an enabled interrupt
        kExit,       ///< the firmware has ended the run: `status`
        kWatchdog,   ///< it may execute no more instructions; the run has ended
    };
    Why why = Why::kStart;
    WatchHit hit{};
    Fault fault{};
    std::uint32_t status = 0;
};

/// The debugger's order to a processor that stands.
enum class Resume {
    kContinue,
    kStep,   ///< one instruction
    kDetach, ///< it goes on and is not debugged any more; its breakpoints are gone
    kKill,   ///< the run ends
};

/// Who is asked when a processor stands. Called by whoever runs the processor: see DebuggedHart.
class DebuggerIf {
  public:
    virtual ~DebuggerIf() = default;
    /// Returns when the debugger wants something. After kExit and kWatchdog: at once, kDetach.
    virtual Resume hold(const DebugStop& stop) = 0;
    /// Whether it wants the running processor to stand. Quick enough for every millisecond.
    virtual bool interrupts() = 0;
};

} // namespace cavern::cpu
