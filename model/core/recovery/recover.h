#pragma once

#include <cstdint>

#include "core/data/page_contents.h"
#include "core/drive/drive_core.h"
#include "core/ftl/ftl_table.h"
#include "core/nand/nand_array.h"
#include "core/recovery/mount_time.h"
#include "core/recovery/recovery_counters.h"
#include "core/recovery/spare_scan.h"

namespace cavern {

struct RecoveryParams {
    Rebuilding rebuilding = Rebuilding::kPages;
    GcPlacement placement = GcPlacement::kPlane;
    bool strict_order = false;   ///< pages of a block may not be skipped
    std::uint32_t word_line = 1; ///< pages that share cells
    MapLogParams log;            ///< what the drive has written of its map
    MountTimes times;
};

/// Builds a drive from what its flash holds after a loss of power: `scan`, of `array` and not run
/// yet, finds the newest version of each page; records say which are trimmed; what the layer cannot
/// take over as it lies is copied. `fresh` is a core of the same configuration that has decided
/// nothing. What was read and written is added to `counters`. `contents`: what the pages hold;
/// null: no data are kept.
void recover(DriveCore& fresh, NandArray& array, SpareScan& scan, const RecoveryParams& params,
             RecoveryCounters& counters, PageContents* contents = nullptr);

} // namespace cavern
