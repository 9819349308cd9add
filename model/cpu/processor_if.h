#pragma once

#include <cstdint>

#include "cpu/hart.h"
#include "cpu/memory_system.h"
#include "cpu/program.h"

namespace cavern::cpu {

/// Why a processor has stopped running.
enum class Pause {
    kInstructions, ///< as many as asked for are done
    kAsleep,       ///< WFI, and no enabled line is up
    kExit,         ///< the firmware has ended its run (ControllerDevices::exit_status)
    kFault,        ///< see fault()
    kKilled,       ///< its debugger has ended the run
};

/// A processor of the controller in front of a memory system and ControllerDevices: the
/// interpreter, Ibex, or both in lockstep. Its cycles are those that it is awake, and those that
/// pass() adds.
class ProcessorIf {
  public:
    virtual ~ProcessorIf() = default;
    /// The image is in memory: starts at its entry. The program must outlive the processor.
    virtual void reset(const Program& program) = 0;
    virtual Pause run(std::uint64_t max_instructions) = 0;
    /// Is told of each instruction from now on, which is slower; an empty one ends that.
    virtual void observe(Hart::Observer observer) = 0;
    /// Who is told; empty: nobody.
    [[nodiscard]] virtual const Hart::Observer& observer() const = 0;
    /// Time passes while it is asleep.
    virtual void pass(std::uint64_t cycles) = 0;

    [[nodiscard]] virtual MemorySystem& memory() = 0;
    [[nodiscard]] virtual std::uint64_t cycle() const = 0;
    /// Instructions since reset, those that trapped included.
    [[nodiscard]] virtual std::uint64_t executed() const = 0;
    /// Address of the next instruction, or of the one at fault.
    [[nodiscard]] virtual std::uint32_t pc() const = 0;
    [[nodiscard]] virtual const Fault& fault() const = 0;
};

} // namespace cavern::cpu
