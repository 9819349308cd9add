#pragma once

#include <cstdint>
#include <string>

#include "core/ftl/block_faults.h"

namespace cavern {

inline constexpr const char* kNoWear = "none";
inline constexpr const char* kDynamicWear = "dynamic"; ///< the least-worn free block is used next
inline constexpr const char* kStaticWear = "static";   ///< and cold data leave little-worn blocks

/// What a flash translation layer is told about itself. Watermarks count free blocks of one plane,
/// or its free pages (those of the blocks being filled among them).
struct FtlParams {
    double overprovision = 0.07; ///< share of the raw pages that is not exported, [0, 1)
    std::uint32_t gc_low = 1;  ///< collect when a host block (page) is needed and no more are free
    std::uint32_t gc_high = 2; ///< stop collecting at this many; > gc_low >= 1
    bool gc_in_pages = false;  ///< the watermarks are pages
    bool gc_shared_frontier = false;  ///< collected pages go behind host pages in one block
    std::string gc_policy = "greedy"; ///< a name of victim_policy_table()
    std::uint32_t d_choices = 0;      ///< d-choices: blocks looked at; 0: log2 of those of a plane
    std::uint32_t gc_background = 0;  ///< idle dies bring planes to so many free blocks; 0: none
    bool hot_cold = false;  ///< hot and cold pages go to different blocks; not with pages as unit
    double hot_decay = 1.0; ///< write counters are halved after so many times the logical pages
    std::string wear_leveling = kNoWear;
    std::uint32_t wear_threshold = 100; ///< static: erases between the most and the least worn
    BlockFaultParams faults;
    std::uint64_t seed = 1;             ///< of random choices
    std::uint32_t log_blocks = 64;      ///< physical log blocks of the whole drive; hybrid layers
    bool eager_switch = true;           ///< a log block complete and in order is switched at once
    std::uint32_t mcsplit_stripe = 0;   ///< channels of a superblock; 0: all
    std::uint32_t fast_random_logs = 0; ///< 0: log_blocks less the sequential one
    std::uint32_t last_sequential_logs = 0; ///< 0: a quarter of log_blocks
    std::uint32_t last_random_logs = 0;     ///< 0: log_blocks less those
    std::uint64_t last_threshold = 8192;    ///< bytes that come together and are sequential
    std::uint64_t last_hot_window = 0; ///< random page writes; 0: half of what the random log holds
    std::uint32_t superblock_blocks = 16; ///< adjacent logical blocks that share their blocks
    std::uint32_t superblock_updates = 1; ///< blocks that they have beside those for data
    std::uint32_t subgroup_blocks = 8;    ///< blocks of a superblock, an even number
    bool strict_order = false;            ///< pages of a block may not be skipped: holes are filled
    std::uint64_t map_cache_bytes = std::uint64_t{1} << 20; ///< dftl: memory of the mapping cache
    std::uint64_t map_cache_most = 0; ///< dftl: what it may grow to at run time; bytes
    std::uint32_t dftl_entries = 0;   ///< its size in entries; 0: as map_cache_bytes says
    bool dftl_write_shim = false;     ///< a write that misses makes an entry without a read
    /// dftl, with dftl_write_shim: a page superseded by such an entry counts as valid until its
    /// translation page is read, or its block is collected.
    bool dftl_lazy_invalidate = false;
    bool dftl_slru = false; ///< the cache has a probationary and a protected list
};

/// Memory of dftl's mapping cache, whichever way it is given: 8 bytes an entry.
[[nodiscard]] inline std::uint64_t map_cache_bytes(const FtlParams& params) {
    return params.dftl_entries != 0 ? std::uint64_t{params.dftl_entries} * 8
                                    : params.map_cache_bytes;
}

} // namespace cavern
