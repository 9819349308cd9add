#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "cpu/processor_if.h"
#include "cpu/program.h"

namespace cavern {

/// Who looks at the firmware that a drive executes. It is told in the order of the processor's
/// cycles, and changes nothing in the run.
class FirmwareWatchIf {
  public:
    /// Why the processor is awake.
    struct Request {
        std::uint64_t cycle = 0;            ///< of the processor
        std::optional<TimePs> time;         ///< of that cycle; nothing: there is no time (yet)
        std::function<std::string()> named; ///< "request 17, write of 2 logical pages from 96 on"
    };

    virtual ~FirmwareWatchIf() = default;
    /// Nothing is executed yet. Here it may observe() the processor or give it to a debugger. Both
    /// outlive the watching.
    virtual void starting(cpu::ProcessorIf& processor, const cpu::Program& program) = 0;
    virtual void woken(const Request& request) = 0;
    /// It sleeps from this cycle on: after the start, and after each request.
    virtual void asleep(std::uint64_t cycle) = 0;
    /// The firmware has written a byte to its log.
    virtual void printed(char byte, std::uint64_t cycle) = 0;
    /// The processor sleeps, and the statistics of the run begin (anew).
    virtual void statistics_begin() = 0;
};

} // namespace cavern
