#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/strong_id.h"
#include "core/base/units.h"
#include "core/device/command_pages.h"

namespace cavern {

/// What keeps a processor of the controller busy for a while.
struct ProcessorWork {
    enum class Kind : std::uint8_t {
        kDecide, ///< the pages of a command, which has waited since `arrived`
        kHandOn, ///< what follows when a command has gone on, or work ahead has been decided
        kAhead,  ///< what no command has asked for
    };
    Kind kind = Kind::kDecide;
    DeviceCommand command;        ///< of kDecide, and of kHandOn the one that has gone on
    std::optional<PlaneId> plane; ///< of kAhead, and of kHandOn what follows that
    std::uint64_t operations = 0; ///< for the flash, that kHandOn deals with
    TimePs arrived = 0;
    std::uint32_t processor = 0;
    TimePs start = 0;
    TimePs duration = 0; ///< not 0
};

/// A function of the firmware, with all that it called.
struct FunctionTime {
    std::string name;
    std::uint32_t depth = 0; ///< so many others have called it
    TimePs start = 0;
    TimePs end = 0;
};

/// Observes the processors, for timelines, and the firmware that one executes. Null when nobody
/// listens. Must not change the model or notify events.
class ProcessorLogIf {
  public:
    virtual ~ProcessorLogIf() = default;
    /// Told at the start.
    virtual void busy(const ProcessorWork& work) = 0;
    /// Whether it wants to be told of functions and interrupts of what is executed from then on.
    [[nodiscard]] virtual bool follows(TimePs /*start*/) const { return false; }
    /// In the order of start and depth; before the work is told in which it was executed.
    virtual void executed(const FunctionTime& /*function*/) {}
    /// `number` as in mcause; 0: an exception.
    virtual void interrupted(std::uint32_t /*number*/, TimePs /*at*/) {}
    /// A line of the firmware's log, which began then.
    virtual void printed(const std::string& /*line*/, TimePs /*at*/) {}
};

} // namespace cavern
