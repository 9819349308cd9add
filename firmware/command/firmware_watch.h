#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/controller_view.h"
#include "cpu/gdb_server.h"
#include "cpu/hart_debug_target.h"
#include "firmware/command/firmware_files.h"
#include "firmware/controller/firmware_watch_if.h"

namespace cavern {

/// What `cavern run` shows of the firmware that its drive executes: the files, and a debugger.
class FirmwareWatch final : public ControllerView, public FirmwareWatchIf, private cpu::DebuggerIf {
  public:
    FirmwareWatch(const RunOptions& options, const DrivePlan& config);

    [[nodiscard]] DriveController controller(const DrivePlan& config) override;
    void finish() override { files_.finish(); }
    void commit() override { files_.commit(); }
    void ended(int status) override;
    [[nodiscard]] bool killed() const override { return killed_; }
    [[nodiscard]] bool has_changed() const override {
        return server_ != nullptr && server_->has_changed();
    }

    void starting(cpu::ProcessorIf& processor, const cpu::Program& program) override;
    void woken(const Request& request) override;
    void asleep(std::uint64_t cycle) override;
    void printed(char byte, std::uint64_t cycle) override;
    void statistics_begin() override;

  private:
    cpu::Resume hold(const cpu::DebugStop& stop) override;
    bool interrupts() override { return server_->interrupts(); }
    void wait_for_debugger(cpu::ProcessorIf& processor);
    /// Whether instructions go into the trace; only who needs them makes the processor tell of
    /// them.
    void trace(bool on);
    /// "         12345          678": nanoseconds of the run, and the cycle.
    [[nodiscard]] std::string stamp(std::uint64_t cycle) const;

    FirmwareFiles files_;
    TimePs period_;
    TimeWindow trace_window_;
    std::optional<std::uint16_t> gdb_;
    std::string image_; ///< a file, for the debugger
    bool needed_;       ///< anything was asked for
    bool killed_ = false;
    cpu::ProcessorIf* processor_ = nullptr;
    std::unique_ptr<cpu::HartDebugTarget> target_;
    std::unique_ptr<cpu::GdbServer> server_;
    /// Its debugger may ask for its memory until it is told of the end.
    std::shared_ptr<DecisionCostIf> firmware_;
    std::optional<TimePs> woken_at_;
    std::uint64_t woken_cycle_ = 0;
    bool tracing_ = false;
};

} // namespace cavern
