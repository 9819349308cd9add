#pragma once

#include <memory>

#include "config/drive_plan.h"
#include "core/base/refusal.h"
#include "drive/deciding_parts.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

class FirmwareWatchIf;

/// What the controller of a drive has of its own: firmware (firmware/controller). A program without
/// it has no_controller.cpp, with which a core decides alone.
struct DriveController {
    std::unique_ptr<DecidingParts> parts; ///< for build_core()
    std::shared_ptr<DecisionCostIf> cost; ///< for the drive; null: what the configuration says
};

/// Who decides in a core (cpu.decides) where nothing is executed: the core itself, or firmware that
/// is built for the host. Throws ModelError where the firmware cannot decide so.
[[nodiscard]] std::unique_ptr<DecidingParts> make_deciding_parts(const DrivePlan& config);

/// The same with a processor that executes the firmware, where cpu.model has one: it is started. In
/// a run with time its accesses are transactions, and it is a module of SystemC. `watch` may be
/// null, and outlives it. Throws UserError where its image is none, FirmwareError where it does not
/// start.
[[nodiscard]] DriveController make_controller(const DrivePlan& config,
                                              FirmwareWatchIf* watch = nullptr);

/// Why the controller cannot be that of the configuration, in its words, with the keys that say so:
/// none where it is the size of the drive. Nothing if it can.
[[nodiscard]] Refused controller_why_not(const DrivePlan& config);

} // namespace cavern
