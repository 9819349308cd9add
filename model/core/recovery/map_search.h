#pragma once

#include <cstdint>
#include <vector>

#include "core/drive/drive_core.h"
#include "core/recovery/recovery_counters.h"
#include "core/recovery/spare_scan.h"

namespace cavern {

/// How recovery finds the newest version of each page: one row for each kind of map log.
struct MapSearch {
    MapLogKind log;
    /// Runs `scan` as far as the log, of the drive `fresh`, leaves something to be found.
    void (*run)(SpareScan& scan, DriveCore& fresh, std::uint32_t word_line,
                RecoveryCounters& counters);
};

[[nodiscard]] const std::vector<MapSearch>& map_searches();

/// A page of the journal changes what a checkpoint says.
void replay(const std::vector<MapSnapshot::Change>& changes, const Geometry& geometry,
            MapSnapshot& known);

} // namespace cavern
