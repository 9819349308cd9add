#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/data/page_contents.h"
#include "core/drive/drive_core.h"
#include "core/ftl/ftl_table.h"
#include "core/nand/nand_array.h"
#include "core/recovery/mount_time.h"
#include "core/recovery/rebuild.h"
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

/// A drive that has lost its power: how it comes back, and what may go wrong meanwhile.
struct Comeback {
    using MakeCore = std::function<std::unique_ptr<DriveCore>(FlashContents)>;
    using MakeScan = std::function<std::unique_ptr<SpareScan>(const NandArray&, std::uint64_t)>;

    MakeCore make_core; ///< like the one before, with what flash holds
    MakeScan make_scan;
    RecoveryParams params;
    /// The power goes again in the mount, so often at most, at moments drawn from the seed.
    std::uint64_t cuts_in_mount = 0;
    bool ends_programs = false; ///< then, too, stored energy ends what dies have begun
    std::uint64_t seed = 1;
};

/// Recovers until the drive is there.
[[nodiscard]] std::unique_ptr<DriveCore> come_back(const Comeback& how, FlashContents kept,
                                                   NandArray& array, RecoveryCounters& counters,
                                                   PageContents* contents = nullptr);

/// Builds a drive from what its flash holds after a loss of power: `scan`, of `array` and not run
/// yet, finds the newest version of each page; records say which are trimmed; what the layer cannot
/// take over as it lies is copied. `fresh` is a core of the same configuration that has decided
/// nothing. What was read and written is added to `counters`. `contents`: what the pages hold;
/// null: no data are kept. `cut`: the power goes again, by PowerGone; then another fresh core is to
/// be recovered.
void recover(DriveCore& fresh, NandArray& array, SpareScan& scan, const RecoveryParams& params,
             RecoveryCounters& counters, PageContents* contents = nullptr, MountCut* cut = nullptr);

} // namespace cavern
