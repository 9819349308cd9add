#pragma once

#include <cstdint>
#include <string_view>

#include "config/config.h"
#include "core/drive/map_log_params.h"
#include "core/recovery/drain_costs.h"
#include "firmware/lookup/cost/look_up_cost.h"

namespace cavern {

/// A drive as it is built: its configuration, and every number that follows from it, worked out
/// once. Nobody changes a plan; a configuration that has changed makes another one.
struct DrivePlan : SsdConfig {
    /// Where check_config() refuses the configuration, the numbers may mean nothing.
    DrivePlan(const SsdConfig& config);

    /// The drive as buffer, map and flash operations see it: in mapping units.
    Geometry geometry;
    /// The sectors of a page are told apart: what a write leaves of a page is kept.
    bool keeps_sectors = false;
    /// A read of the host moves the pieces of a page of so many bytes that it touches; 0: the page.
    std::uint32_t read_grain = 0;
    /// A command waits until those before it have their frames (buffer.dispatch).
    bool in_turn = false;
    /// Pages that share their cells: as many as the part has times to program.
    std::uint32_t cell_pages = 1;
    /// Cycles of the arbiter's clock after which priority-age promotes a request:
    /// channel.age_limit, or the time that channel.age_limit_pages pages, as they are programmed,
    /// hold the bus, rounded up.
    std::uint32_t age_limit_cycles = 0;
    /// What the drive writes of its map.
    MapLogParams map_log;
    /// What the translation layer is told: its own section and what other sections have of it.
    FtlParams ftl_params;
    /// With ftl.partition = adaptive: both caches together, as their two sizes say.
    AdaptivePartition::Params partition;
    std::uint64_t logical_pages = 0; ///< that the translation layer exports
    std::uint64_t host_pages = 0;    ///< of these, that the host can address

    // The SDRAM, from its beginning: frames, pages on their way, copies; at its end the map.
    /// Page frames of the write buffer; of one without, where data are on their way.
    std::uint32_t frames = 0;
    /// Page slots for flash reads of the host on their way: at most four a die.
    std::uint32_t staging_slots = 0;
    /// Page slots for the copies of each die (dram.copy_pages): whole NAND pages; by itself four a
    /// plane, as far as half of what the buffer leaves has room for them.
    std::uint32_t copy_slots_per_die = 0;
    std::uint64_t map_bytes = 0; ///< none without dram.map_traffic

    /// Of a loss of power, in which stored energy drains the buffer.
    DrainCosts drain_costs;
    std::uint64_t drained_pages = 0;

    [[nodiscard]] std::uint64_t host_bytes() const { return host_pages * geometry.page_bytes; }
    /// Of all copies.
    [[nodiscard]] std::uint32_t copy_slots() const { return copy_slots_per_die * geometry.dies(); }
    /// NAND pages of the SDRAM that copies need at least.
    [[nodiscard]] std::uint64_t least_copies() const;
};

/// As firmware/lookup names it.
[[nodiscard]] std::string_view name_of(CpuLookUp look_up);

/// The firmware's data cache as a buffer of this drive; cpu.look_up must not be none.
[[nodiscard]] LookUpCost::Params look_up_params(const DrivePlan& plan, std::uint64_t logical_pages);

} // namespace cavern
