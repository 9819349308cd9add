#pragma once

#include <cstdint>

#include "core/drive/drive_core.h"
#include "core/recovery/recovery_counters.h"
#include "core/recovery/spare_scan.h"

namespace cavern {

/// LTFTL (MarkLog): the newest mark is looked for, then all spare areas are read. Of each page the
/// newest version counts that is not above the mark.
void search_mark(SpareScan& scan, DriveCore& fresh, std::uint32_t word_line,
                 RecoveryCounters& counters);

} // namespace cavern
