#pragma once

#include <memory>

#include "config/drive_plan.h"
#include "core/data/drive_data.h"
#include "core/drive/drive_core.h"
#include "core/drive/precondition.h"
#include "drive/deciding_parts.h"
#include "drive/drive_beginning.h"
#include "drive/run_observer.h"

namespace cavern {

/// The decision core a configuration describes, from the tables of its layers. `log` may be null.
/// `parts` decide; null: make_deciding_parts(). Where power is lost, `contents` is what flash holds
/// beside data; empty: a drive without any.
std::unique_ptr<DriveCore> build_core(const DrivePlan& config, DecisionLogIf* log,
                                      DecidingParts* parts = nullptr, FlashContents contents = {});

/// What keeps the data of the drive of this core (data.store); null: none does. `host` may be null,
/// and must be unless all bytes are kept.
std::unique_ptr<DriveData> make_data(const DrivePlan& config, const DriveCore& core,
                                     HostDataIf* host);

/// What the drive goes through before the run.
[[nodiscard]] Precondition precondition_of(const DrivePlan& config);
/// Tells `observer`, which may be null.
[[nodiscard]] PreconditionWatch watch_of(RunObserverIf* observer);
/// Brings a new drive into its state before the run: as configured, or as `beginning` says. All but
/// core and array may be null.
PreconditionResult begin_drive(const DrivePlan& config, DriveCore& core, NandArray& array,
                               UntimedData* data, RunObserverIf* observer,
                               DriveBeginningIf* beginning);

} // namespace cavern
