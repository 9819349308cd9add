#include "core/ftl/ftl_table.h"

#include "core/ftl/bast.h"
#include "core/ftl/dftl.h"
#include "core/ftl/fast.h"
#include "core/ftl/last.h"
#include "core/ftl/mcsplit.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/subgroup.h"
#include "core/ftl/superblock.h"

namespace cavern {

namespace {

template <typename Ftl>
std::unique_ptr<FtlIf> make(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log) {
    return std::make_unique<Ftl>(geometry, params, log);
}

} // namespace

const std::vector<FtlRow>& ftl_table() {
    static const std::vector<FtlRow> rows{
        {"page", "Any logical page may lie anywhere; full planes are garbage-collected.",
         PlacementFreedom::kPages, page_ftl_why_not, make<PageFtl>, nullptr, true,
         OwnCounters<PageFtl>::set()},
        {"bast", "Each die maps blocks; a block's updates go to a log block of its own.",
         PlacementFreedom::kBlocks, bast_why_not, make<Bast>},
        {"dftl", "Pages are mapped by translation pages in flash, of which a cache holds entries.",
         PlacementFreedom::kNone, dftl_why_not, make<Dftl>, dftl_map_memory, false,
         OwnCounters<Dftl>::set(), &CounterSet::of<Dftl::CacheCounters>()},
        {"mcsplit", "BAST over superblocks, one block on each channel.", PlacementFreedom::kNone,
         mcsplit_why_not, make<McSplit>},
        {"fast", "Blocks are mapped; one sequential log block, random ones that all blocks share.",
         PlacementFreedom::kHomes, fast_why_not, make<Fast>, fast_map_memory, false, nullptr,
         &CounterSet::of<Fast::CacheCounters>()},
        {"last",
         "FAST with several sequential log blocks, and random ones for hot and for cold pages.",
         PlacementFreedom::kHomes, last_why_not, make<Last>},
        {"superblock", "Adjacent logical blocks share their blocks and some for updates.",
         PlacementFreedom::kHomes, superblock_why_not, make<Superblock>},
        {"subgroup", "Superblocks in stripes; hot updates are merged apart from cold ones.",
         PlacementFreedom::kNone, subgroup_why_not, make<SubGroup>},
    };
    return rows;
}

const FtlRow* find_ftl(std::string_view name) {
    for (const FtlRow& row : ftl_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cavern
