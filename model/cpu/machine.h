#pragma once

#include <cstdint>
#include <functional>

#include "cpu/bus_if.h"
#include "cpu/hart.h"
#include "cpu/machine_timer.h"
#include "cpu/memory_system.h"
#include "cpu/program.h"
#include "cpu/uart.h"

namespace cavern::cpu {

/// How a standalone run ended.
enum class End {
    kExit,     ///< the firmware ended it: `status`
    kWatchdog, ///< it executed as many instructions as were allowed; run() goes on
    kFault,    ///< Hart::fault() says which
    kDead,     ///< it waits for an interrupt that nothing will raise
    // For a debugger; the run can go on:
    kBreakpoint, ///< Hart::pc() is at one
    kWatchpoint, ///< Hart::watch_hit() says which
    kKilled,     ///< the debugger wants no more of it
};

struct Outcome {
    End end = End::kWatchdog;
    std::uint32_t status = 0; ///< of kExit
};

/// A processor by itself: hart, memories, machine timer and UART. The register block of a drive is
/// not there; accesses to it fault.
class Machine final : public BusIf {
  public:
    explicit Machine(const MemoryMap& map = {}, const IbexTiming& timing = {},
                     FaultPolicy policy = FaultPolicy::kStop, Uart::Sink log = {});
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// Puts the image into memory, resets timer and UART, and the hart to the image's entry.
    /// Breakpoints stay.
    void load(const Program& program);
    /// Runs until the firmware ends the run, or something else does.
    Outcome run(std::uint64_t max_instructions);
    /// Tells `observe` of each instruction.
    Outcome run(std::uint64_t max_instructions, const Hart::Observer& observe);
    /// Stands in the place of Hart::run(instructions, until_cycle).
    using Go = std::function<Stop(std::uint64_t, std::uint64_t)>;
    Outcome run_by(std::uint64_t max_instructions, const Go& go);

    [[nodiscard]] Hart& hart() { return hart_; }
    [[nodiscard]] MemorySystem& memory() { return memory_; }

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override;

  private:
    /// True: the run has ended, and `outcome` says how.
    bool ended(Stop stop, Outcome& outcome);
    void update_line() { hart_.set_interrupt(interrupt::kTimer, timer_.line(hart_.cycle())); }

    MemorySystem memory_;
    Hart hart_;
    MachineTimer timer_;
    Uart uart_;
};

} // namespace cavern::cpu
