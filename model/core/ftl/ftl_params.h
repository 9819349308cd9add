#pragma once

#include <cstdint>

#include "core/base/scheme.h"
#include "core/ftl/block_faults.h"
#include "core/ftl/reclaim_handles.h"

namespace cavern {

struct VictimPolicyRow;
/// What ftl.gc_policy names unless told otherwise.
[[nodiscard]] const VictimPolicyRow* default_victim_policy();

enum class WearLeveling : std::uint8_t {
    kNone,
    kDynamic, ///< the least-worn free block is used next
    kStatic,  ///< and cold data leave little-worn blocks
};

/// When pages of a victim are copied.
enum class GcPace : std::uint8_t {
    kBurst, ///< all at once, when the free blocks have run short
    kPaced, ///< some with each host page, before they do
};

/// How far the pages that collection copies may go. Planes that share them are filled and collected
/// in step.
enum class GcPlacement : std::uint8_t { kPlane, kDie, kDrive };

/// What a flash translation layer is told. Watermarks count free blocks of one plane, or its free
/// pages (those of the blocks being filled among them). What one layer alone knows is in `own`.
struct FtlParams {
    double overprovision = 0.07; ///< share of the raw pages that is not exported, [0, 1)
    std::uint32_t gc_low = 1;  ///< collect when a host block (page) is needed and no more are free
    std::uint32_t gc_high = 2; ///< stop collecting at this many; > gc_low >= 1
    bool gc_in_pages = false;  ///< the watermarks are pages
    GcPace gc_pace = GcPace::kBurst;
    GcPlacement gc_placement = GcPlacement::kPlane;
    bool gc_shared_frontier = false; ///< collected pages go behind host pages in one block
    const VictimPolicyRow* gc_policy = default_victim_policy();
    SchemeParams gc_params; ///< of that policy; empty: its defaults
    /// Idle dies bring planes to so many free blocks, or logs to so many unused ones; 0: none.
    std::uint32_t gc_background = 0;
    bool hot_cold = false;  ///< hot and cold pages go to different blocks; not with pages as unit
    double hot_decay = 1.0; ///< write counters are halved after so many times the logical pages
    WearLeveling wear_leveling = WearLeveling::kNone;
    std::uint32_t wear_threshold = 100; ///< static: erases between the most and the least worn
    std::uint64_t refresh_reads = 0;    ///< of a block, after which its pages are moved; 0: never
    bool refreshes = false;             ///< blocks are moved, if only when asked: see RefreshIf
    BlockFaultParams faults;
    ReclaimHandleParams placement; ///< by the streams of the host's writes
    bool recovers = false;         ///< mount() follows a loss of power, for which blocks are kept
    std::uint32_t reserved_blocks = 0; ///< the first ones of each plane, which hold no data
    std::uint64_t seed = 1;            ///< of random choices
    std::uint32_t log_blocks = 64;     ///< physical log blocks of the whole drive; hybrid layers
    /// bast: a logical block that is given another die does not move there at once; its next log
    /// block lies there, and a merge brings its pages together
    bool gather = false;
    bool eager_switch = true;  ///< a log block complete and in order is switched at once
    bool strict_order = false; ///< pages of a block may not be skipped: holes are filled
    std::uint64_t map_cache_bytes = std::uint64_t{1} << 20; ///< dftl: memory of the mapping cache
    std::uint64_t map_cache_most = 0; ///< dftl: what it may grow to at run time; bytes
    SchemeParams own;                 ///< of the layer's type Params; empty: its defaults
};

/// What `params` tell the layer whose own parameters are of this type.
template <typename Params>
[[nodiscard]] Params own_params(const FtlParams& params) {
    return params_in<Params>(params.own);
}

} // namespace cavern
