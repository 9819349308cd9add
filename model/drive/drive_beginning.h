#pragma once

#include "core/data/untimed_data.h"
#include "core/drive/drive_core.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// How a drive begins that does not simply follow from its configuration.
class DriveBeginningIf {
  public:
    virtual ~DriveBeginningIf() = default;
    /// Brings a new drive into its state at the beginning of a run, with counters at zero. `data`
    /// may be null. Returns what its preconditioning has shown.
    virtual PreconditionResult begin(DriveCore& core, NandArray& array, UntimedData* data) = 0;
};

} // namespace cavern
