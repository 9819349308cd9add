#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

/// State of a processor that stands, as a debugger sees and changes it. It costs no time and has no
/// effect on devices.
class DebugTargetIf {
  public:
    virtual ~DebugTargetIf() = default;
    /// x0 to x31; writing x0 does nothing.
    [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t number) const = 0;
    virtual void write_register(std::uint32_t number, std::uint32_t value) = 0;
    [[nodiscard]] virtual std::uint32_t read_pc() const = 0;
    virtual void write_pc(std::uint32_t pc) = 0;
    /// By CSR address; nothing or false where there is none, or it is read-only.
    [[nodiscard]] virtual std::optional<std::uint32_t> read_csr(std::uint32_t number) const = 0;
    virtual bool write_csr(std::uint32_t number, std::uint32_t value) = 0;
    /// Reads `bytes` bytes from `address` on, up to the end of the memory; devices are none.
    [[nodiscard]] virtual std::string read_memory(std::uint32_t address, std::uint32_t bytes) = 0;
    /// False, and nothing is written, unless all bytes are memory.
    virtual bool write_memory(std::uint32_t address, const std::string& bytes) = 0;
    /// False where no instruction can be. Adding twice is adding once.
    virtual bool add_breakpoint(std::uint32_t pc) = 0;
    virtual void remove_breakpoint(std::uint32_t pc) = 0;
    virtual void add_watchpoint(const Watchpoint& watchpoint) = 0;
    virtual void remove_watchpoint(const Watchpoint& watchpoint) = 0;
    /// Since reset.
    [[nodiscard]] virtual std::uint64_t cycle() const = 0;
    [[nodiscard]] virtual std::uint64_t instructions() const = 0;
    /// Sets the processor back before its first instruction. False where it cannot start again by
    /// itself.
    virtual bool reset() = 0;
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
