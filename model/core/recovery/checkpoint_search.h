#pragma once

#include <cstdint>

#include "core/drive/drive_core.h"
#include "core/recovery/recovery_counters.h"
#include "core/recovery/spare_scan.h"

namespace cavern {

/// Checkpoint, journal, scan (CheckpointLog): the newest whole checkpoint is read, its journal is
/// replayed up to the first page that cannot be read, and then the spare areas of what was
/// programmed since. Where no checkpoint is whole all of them are read.
void search_checkpoint(SpareScan& scan, DriveCore& fresh, std::uint32_t word_line,
                       RecoveryCounters& counters);

/// A page of the journal changes what a checkpoint says.
void replay(const std::vector<MapSnapshot::Change>& changes, const Geometry& geometry,
            MapSnapshot& known);

} // namespace cavern
