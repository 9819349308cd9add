#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/units.h"
#include "cpu/function_slices.h"
#include "cpu/processor_if.h"
#include "cpu/program.h"
#include "firmware/controller/firmware_watch_if.h"
#include "timed/cpu/processor_log.h"

namespace cavern {

/// Tells a ProcessorLogIf at which times the firmware has executed what, was interrupted, and has
/// printed. Who observes the processor already is told as before.
class FirmwareTimeline final : public FirmwareWatchIf {
  public:
    /// All outlive it. `period`: of the processor's clock.
    FirmwareTimeline(ProcessorLogIf& log, cpu::ProcessorIf& processor, const cpu::Program& program,
                     TimePs period);

    void starting(cpu::ProcessorIf&, const cpu::Program&) override {}
    /// Requests that take no time are not shown.
    void woken(const Request& request) override;
    void asleep(std::uint64_t cycle) override;
    void printed(char byte, std::uint64_t cycle) override;
    void statistics_begin() override {}

  private:
    void retired(const cpu::Retired& retired);
    [[nodiscard]] TimePs time_of(std::uint64_t cycle) const {
        return woken_at_ + (cycle - woken_cycle_) * period_;
    }

    ProcessorLogIf& log_;
    cpu::ProcessorIf& processor_;
    TimePs period_;
    std::uint32_t vectors_; ///< address of the vector table
    cpu::FunctionSlices functions_;
    cpu::Hart::Observer other_; ///< may be empty
    bool awake_ = false;
    bool follows_ = false;
    TimePs woken_at_ = 0;
    std::uint64_t woken_cycle_ = 0;
    std::uint64_t last_cycle_ = 0; ///< of an instruction
    std::string line_;             ///< of the log
    bool in_line_ = false;
    std::optional<TimePs> line_began_; ///< nothing: before there was time
};

} // namespace cavern
