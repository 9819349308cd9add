#pragma once

#include <memory>

#include "app/run.h"
#include "config/config_loader.h"
#include "drive/controller.h"

namespace cavern {

/// The controller of a run's drive, and what the run shows of what it executes: with firmware in
/// firmware/command, without in no_firmware.cpp.
class ControllerView {
  public:
    virtual ~ControllerView() = default;
    [[nodiscard]] virtual DriveController controller(const DrivePlan& config) = 0;
    /// Throws UserError if what was printed so far cannot be written.
    virtual void finish() = 0;
    /// Its files appear.
    virtual void commit() = 0;
    /// The run has come to its end, with this exit status: a debugger is told.
    virtual void ended(int status) = 0;
    /// A debugger has ended the run.
    [[nodiscard]] virtual bool killed() const = 0;
    /// It has changed what decides.
    [[nodiscard]] virtual bool has_changed() const = 0;
};

/// Throws UserError where a file cannot be written.
[[nodiscard]] std::unique_ptr<ControllerView> make_controller_view(const RunOptions& options,
                                                                   const DrivePlan& config);
/// Throws UserError where the controller cannot be that of the configuration, or does not show what
/// is asked for.
void check_controller(const RunOptions& options, const ResolvedConfig& resolved);

} // namespace cavern
