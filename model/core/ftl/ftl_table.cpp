#include "core/ftl/ftl_table.h"

#include <type_traits>

#include "core/ftl/bast.h"
#include "core/ftl/dftl.h"
#include "core/ftl/fast.h"
#include "core/ftl/ftl_why_not.h"
#include "core/ftl/last.h"
#include "core/ftl/mcsplit.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/slc_cache.h"
#include "core/ftl/subgroup.h"
#include "core/ftl/superblock.h"
#include "core/ftl/zoned.h"

namespace cavern {

namespace {

/// What a layer has beyond the mapping.
struct Abilities {
    bool wear_and_faults = false;
    bool steps = false;
    std::string_view only_on_demand{};
    bool units = false;
    bool joins_planes = false;
    bool caches_in_slc = false;
    bool zones = false;
    Rebuilding rebuilding = Rebuilding::kNone;
};
constexpr Abilities kAll{true, true, {}, true, true, false, false, Rebuilding::kPages};
constexpr Abilities kCaches{false, true, {}, true, true, true, false, Rebuilding::kPages};
constexpr Abilities kInFlash{true, true, {}, false, false, false, false, Rebuilding::kInPlace};
constexpr Abilities kBlocks{false, false, {}, false, false, false, false, Rebuilding::kBlocks};
constexpr Abilities kZones{false, false, "which has nothing to collect", false, false, false, true};
/// A superblock reclaims its own blocks, and only it knows when it will need one.
constexpr Abilities kKeepsToItself{
    false,
    false,
    "whose superblocks share no log blocks that could be merged ahead",
    false,
    false,
    false,
    false,
    Rebuilding::kSuperblocks};

template <typename Ftl>
std::unique_ptr<FtlIf> make(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log) {
    return std::make_unique<Ftl>(geometry, params, log);
}

/// The set of Ftl::CacheCounters, or null.
template <typename Ftl, typename = void>
struct OwnCacheCounters {
    static const CounterSet* set() { return nullptr; }
};
template <typename Ftl>
struct OwnCacheCounters<Ftl, std::void_t<typename Ftl::CacheCounters>> {
    static const CounterSet* set() { return &CounterSet::of<typename Ftl::CacheCounters>(); }
};

/// A row is what a layer says of itself: name, sentence, knobs, counters, needs.
template <typename Ftl>
FtlRow row(std::string_view name, std::string_view description, PlacementFreedom freedom,
           decltype(FtlRow::why_not) why_not, decltype(FtlRow::map_memory) map_memory = nullptr,
           Abilities abilities = {}) {
    return {name,
            description,
            knobs_of_scheme<Ftl>(),
            freedom,
            why_not,
            make<Ftl>,
            map_memory,
            abilities.wear_and_faults,
            abilities.steps,
            abilities.only_on_demand,
            abilities.units,
            abilities.joins_planes,
            abilities.caches_in_slc,
            abilities.zones,
            abilities.rebuilding,
            OwnCounters<Ftl>::set(),
            OwnCacheCounters<Ftl>::set()};
}

} // namespace

const std::vector<FtlRow>& ftl_table() {
    static const std::vector<FtlRow> rows{
        row<PageFtl>("page",
                     "Any logical page may lie anywhere; full planes are garbage-collected.",
                     PlacementFreedom::kPages, page_ftl_why_not, nullptr, kAll),
        row<Bast>("bast", "Each die maps blocks; a block's updates go to a log block of its own.",
                  PlacementFreedom::kBlocks, bast_why_not, nullptr, kBlocks),
        row<Dftl>("dftl",
                  "Pages are mapped by translation pages in flash, of which a cache holds entries.",
                  PlacementFreedom::kNone, dftl_why_not, dftl_map_memory, kInFlash),
        row<McSplit>("mcsplit", "BAST over superblocks, one block on each channel.",
                     PlacementFreedom::kNone, mcsplit_why_not, nullptr, kBlocks),
        row<Fast>("fast",
                  "Blocks are mapped; one sequential log block, random ones that all blocks share.",
                  PlacementFreedom::kHomes, fast_why_not, fast_map_memory, kBlocks),
        row<Last>("last",
                  "FAST with several sequential log blocks, and random ones for hot and for cold "
                  "pages.",
                  PlacementFreedom::kHomes, last_why_not, nullptr, kBlocks),
        row<Superblock>("superblock",
                        "Adjacent logical blocks share their blocks and some for updates.",
                        PlacementFreedom::kHomes, superblock_why_not, nullptr, kKeepsToItself),
        row<SubGroup>("subgroup",
                      "Superblocks in stripes; hot updates are merged apart from cold ones.",
                      PlacementFreedom::kNone, subgroup_why_not, nullptr, kBlocks),
        row<SlcCache>("slc-cache",
                      "As page, but host pages go to blocks in SLC mode first, and are folded.",
                      PlacementFreedom::kPages, slc_cache_why_not, nullptr, kCaches),
        row<Zoned>("zoned",
                   "Superblocks are zones, which the host writes in order and resets; nothing is "
                   "collected.",
                   PlacementFreedom::kNone, zoned_why_not, nullptr, kZones),
    };
    return rows;
}

std::uint64_t logical_pages(const FtlRow& row, const Geometry& geometry, const FtlParams& params) {
    return row.has_zones ? zoned_pages(geometry, params)
                         : exported_pages(geometry.without_slc(), params.overprovision);
}

const FtlRow* find_ftl(std::string_view name) {
    return find_row(ftl_table(), name);
}

} // namespace cavern
