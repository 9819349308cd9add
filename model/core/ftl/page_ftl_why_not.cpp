#include "core/ftl/page_ftl_why_not.h"

#include <algorithm>

#include "core/ftl/ftl_why_not.h"
#include "core/ftl/planes_in_step.h"

namespace cavern {

std::uint64_t page_ftl_logical_pages(const Geometry& geometry, double overprovision) {
    return exported_pages(geometry, overprovision);
}

std::uint32_t page_ftl_kept(const FtlParams& params) {
    return (params.hot_cold ? 2 : 1) + (params.faults.can_grow() ? 2 : 0) +
           (params.recovers ? 1 : 0);
}

std::uint32_t page_ftl_begun(const FtlParams& params) {
    const std::uint32_t handles = params.placement.handles;
    return params.hot_cold ? 1 : handles > 1 ? handles - 1 : 0;
}

std::uint64_t page_ftl_reserve(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t pages = geometry.pages_per_block;
    const std::uint64_t high =
        params.gc_in_pages ? (params.gc_high + pages - 1) / pages : params.gc_high;
    const std::uint64_t least = page_ftl_kept(params) + 1u + page_ftl_begun(params);
    const std::uint64_t handles = params.placement.handles;
    const bool apart = params.placement.isolation == Isolation::kPersistently;
    const std::uint64_t frontiers =
        handles != 0 ? handles + (apart ? handles : 1)
                     : 2u + (params.hot_cold ? 2 : 0) +
                           (params.wear_leveling == WearLeveling::kStatic ? 1 : 0);
    return std::max(high, least) + params.reserved_blocks + frontiers + page_ftl_padding(geometry) +
           most_factory_bad(geometry, params.faults, params.seed);
}

std::optional<std::string> page_ftl_why_not(const Geometry& flash, const FtlParams& params) {
    const Geometry geometry = PlanesInStep::shape_of(flash, params.gc_placement);
    if (params.gc_placement != GcPlacement::kPlane) {
        if (geometry.pages_per_block > 0xFFFFu) {
            return "blocks of " + std::to_string(geometry.pages_per_block) +
                   " pages across the planes that ftl.gc_placement joins are too large; fewer "
                   "planes, or a narrower placement";
        }
        if (params.faults.any()) {
            return "bad blocks or failures with planes that ftl.gc_placement joins; "
                   "ftl.gc_placement = plane";
        }
    }
    if (params.recovers) {
        if (params.faults.can_grow()) {
            return "a loss of power with blocks that fail; nand.bad_blocks alone, or one of them";
        }
        if (flash.word_line_pages != 1) {
            return "a loss of power with nand.one_shot; one of them";
        }
        if (params.placement.handles != 0) {
            return "a loss of power with reclaim unit handles; one of them";
        }
    }
    if (flash.units_per_program() != 1) {
        const bool units = flash.units_per_page != 1;
        const std::string with =
            units ? " with a ftl.unit smaller than a page; " : " with nand.one_shot; ";
        if (params.faults.any()) {
            return "bad blocks or failures" + with +
                   (units ? "ftl.unit of a page" : "nand.one_shot = false");
        }
        if (params.gc_shared_frontier) { // padding would take the room of the copies
            return "ftl.gc_shared_frontier" + with + "one of them";
        }
        if (params.hot_cold) {
            return "ftl.hot_cold" + with + "one of them";
        }
        if (!units && params.placement.handles != 0) {
            return "host.fdp.handles" + with + "one of them";
        }
    }
    if (const auto problem = drive_fits(geometry, params, true)) {
        return problem;
    }
    if (params.gc_low < 1) {
        return "ftl.gc_low = 0 leaves collection no block to copy into; at least 1";
    }
    if (params.gc_high <= params.gc_low) {
        return "ftl.gc_high = " + std::to_string(params.gc_high) +
               " is not above ftl.gc_low = " + std::to_string(params.gc_low) + "; at least " +
               std::to_string(params.gc_low + 1);
    }
    if (const auto problem = collection_fits(params)) {
        return problem;
    }
    if (params.hot_cold && (params.gc_shared_frontier || params.gc_in_pages)) {
        return "ftl.hot_cold with ftl.gc_shared_frontier or ftl.gc_unit = pages; one of them";
    }
    if (params.gc_pace == GcPace::kPaced && params.gc_in_pages) {
        return "ftl.gc_pace = paced with ftl.gc_unit = pages; one of them";
    }
    const std::uint64_t reserve = page_ftl_reserve(geometry, params);
    const std::string formula = params.gc_in_pages
                                    ? "the blocks of ftl.gc_high pages, at least 2, + 2"
                                : reserve == std::uint64_t{params.gc_high} + 2
                                    ? "ftl.gc_high + 2"
                                    : "collection, blocks being filled, bad blocks";
    if (geometry.blocks_per_plane <= reserve) {
        return std::to_string(geometry.blocks_per_plane) +
               " blocks per plane are too few for ftl.gc_high = " + std::to_string(params.gc_high) +
               "; at least " + std::to_string(reserve + 1) + " (1 + " + formula + ")";
    }
    const std::uint64_t logical = page_ftl_logical_pages(geometry, params.overprovision);
    const std::uint64_t share = (logical + geometry.planes() - 1) / geometry.planes();
    const std::uint64_t used = (share + geometry.pages_per_block - 1) / geometry.pages_per_block;
    return spare_fits(geometry, used, reserve, formula);
}

} // namespace cavern
