#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/geometry.h"
#include "core/ftl/ftl.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

/// What a translation layer leaves the allocator to choose.
enum class PlacementFreedom : std::uint8_t {
    kPages,  ///< the plane of every page
    kBlocks, ///< the die of a logical block: needs an allocator that keeps blocks together
    kHomes,  ///< the die of a logical block's first page; like kBlocks, but no block moves later
    kNone,   ///< nothing: the address fixes the die; needs "stripe-page"
};

/// How a drive finds its data again after a loss of power (core/recovery).
enum class Rebuilding : std::uint8_t {
    kNone,        ///< it does not
    kPages,       ///< each page where its newest version lies, and blocks are emptied for room
    kInPlace,     ///< the same, but no page changes its plane; the layer's own map is written anew
    kBlocks,      ///< logical blocks are merged until each lies in a block of its own
    kSuperblocks, ///< blocks of a superblock are emptied until it has no more than it may
};

/// One translation layer that `ftl.scheme` can name.
struct FtlRow {
    std::string_view name;
    std::string_view description; ///< one sentence
    SchemeKnobs knobs;            ///< the keys ftl.NAME.KNOB, held in FtlParams::own
    PlacementFreedom freedom;
    /// For the configuration checker: "what; what would be right" if the drive cannot be built so.
    std::optional<std::string> (*why_not)(const Geometry& geometry, const FtlParams& params);
    /// `log` may be null.
    std::unique_ptr<FtlIf> (*make)(const Geometry& geometry, const FtlParams& params,
                                   DecisionLogIf* log);
    /// Memory of the part of its map that can change size (FtlIf::map_cache); null without one.
    MapMemory (*map_memory)(const Geometry& geometry, const FtlParams& params) = nullptr;
    /// Has wear levelling and refresh, and survives failing blocks.
    bool supports_wear_and_faults = false;
    bool collects_in_steps = false; ///< FtlParams::gc_pace
    /// Why FtlParams::gc_background has nothing to do; empty: it works for idle dies.
    std::string_view only_on_demand;
    /// Mapping units may be smaller than a NAND page.
    bool supports_units = false;
    bool joins_planes = false;  ///< FtlParams::gc_placement
    bool caches_in_slc = false; ///< needs Geometry::slc_blocks, which no other layer takes
    bool has_zones = false;     ///< FtlIf::zones()
    Rebuilding rebuilding = Rebuilding::kNone;
    /// What the scheme counts of its own (FtlIf::own_counters) and of its map in memory
    /// (MapCacheIf::own_cache_counters); null: nothing.
    const CounterSet* counters = nullptr;
    const CounterSet* cache_counters = nullptr;
};

/// Every translation layer there is; a new one is its pair of files and a row here.
[[nodiscard]] const std::vector<FtlRow>& ftl_table();

/// FtlIf::logical_pages() of a drive that is not built.
[[nodiscard]] std::uint64_t logical_pages(const FtlRow& row, const Geometry& geometry,
                                          const FtlParams& params);

/// Row of `name`, or null.
[[nodiscard]] const FtlRow* find_ftl(std::string_view name);

} // namespace cavern
