#include <algorithm>
#include <string>

#include "core/ftl/block_faults.h"
#include "core/ftl/dftl.h"
#include "core/ftl/dftl_shape.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

std::uint64_t dftl_cache_bytes(const FtlParams& params) {
    const auto own = own_params<DftlParams>(params);
    return own.entries != 0 ? own.entries * own.entry_bytes : params.map_cache_bytes;
}

std::uint64_t dftl_entries_in(const FtlParams& params, std::uint64_t bytes) {
    return bytes / own_params<DftlParams>(params).entry_bytes;
}

MapMemory dftl_map_memory(const Geometry&, const FtlParams& params) {
    const std::uint64_t entry = own_params<DftlParams>(params).entry_bytes;
    return {MapKind::kEntries, dftl_cache_bytes(params), entry, entry, entry};
}

namespace {

/// Blocks of a plane that are not for collection.
struct Blocks {
    std::uint64_t data = 0;
    std::uint64_t hidden = 0; ///< beside those
    std::uint64_t tables = 0;
    [[nodiscard]] std::uint64_t all() const { return data + hidden + tables; }
};

Blocks blocks_needed(const Geometry& geometry, const FtlParams& params) {
    const std::uint64_t logical = exported_pages(geometry, params.overprovision);
    const std::uint64_t share = (logical + geometry.planes() - 1) / geometry.planes();
    // Each entry can keep a page from being collected.
    const std::uint64_t entries =
        dftl_entries_in(params, std::max(params.map_cache_most, dftl_cache_bytes(params)));
    const std::uint64_t hidden =
        own_params<DftlParams>(params).lazy_invalidate ? std::min(entries, share) : 0;
    const auto blocks_of = [&](std::uint64_t pages) {
        return (pages + geometry.pages_per_block - 1) / geometry.pages_per_block;
    };
    Blocks blocks;
    blocks.data = blocks_of(share);
    blocks.hidden = blocks_of(share + hidden) - blocks.data;
    // Packed as tightly as they go, the last block open.
    blocks.tables = translation_pages_per_plane(geometry, params) / geometry.pages_per_block + 1;
    return blocks;
}

/// The least ftl.overprovision, to four decimals, with which the blocks of a plane suffice.
std::optional<double> least_share(const Geometry& geometry, FtlParams params,
                                  std::uint64_t reserve) {
    for (int parts = 1; parts < 10'000; ++parts) {
        params.overprovision = parts / 10'000.0;
        if (exported_pages(geometry, params.overprovision) != 0 &&
            blocks_needed(geometry, params).all() + reserve <= geometry.blocks_per_plane) {
            return params.overprovision;
        }
    }
    return std::nullopt;
}

/// What of the flash space does not go with other parts of it, or with DFTL.
std::optional<std::string> goes_together(const FtlParams& params) {
    if (params.hot_cold) {
        return "ftl.hot_cold with ftl.scheme = dftl; ftl.scheme = page";
    }
    if (params.placement.handles != 0) {
        return "host.fdp.handles with ftl.scheme = dftl; ftl.scheme = page";
    }
    if (params.recovers && params.faults.can_grow()) {
        return "a loss of power with blocks that fail; nand.bad_blocks alone, or one of them";
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> dftl_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    if (const auto problem = collection_fits(params)) {
        return problem;
    }
    if (params.gc_in_pages) {
        return "ftl.gc_unit = \"pages\" does not go with dftl, whose translation pages need whole "
               "blocks kept free; \"blocks\"";
    }
    const auto own = own_params<DftlParams>(params);
    if (own.lazy_invalidate && !own.write_shim) {
        return "ftl.dftl.lazy_invalidate with ftl.dftl.write_miss = original, which reads the "
               "translation page and so knows; shim";
    }
    if (const auto problem = goes_together(params)) {
        return problem;
    }
    // Between the steps of a victim the host may fill the block that its copies counted on. It
    // opens no other before the victim is empty.
    const bool host_between = params.gc_pace == GcPace::kPaced && params.gc_shared_frontier;
    const std::uint64_t beside = (host_between ? 3u : 2u) +
                                 (params.wear_leveling == WearLeveling::kStatic ? 1u : 0u) +
                                 most_factory_bad(geometry, params.faults, params.seed);
    const std::uint64_t reserve = dftl_gc_high(params) + beside;
    const Blocks needed = blocks_needed(geometry, params);
    if (needed.all() + reserve <= geometry.blocks_per_plane) {
        return std::nullopt;
    }
    std::string formula = "ftl.gc_high, at least " + std::to_string(dftl_kept(params) + 1) +
                          ", + " + std::to_string(beside) + ", beside " +
                          std::to_string(needed.tables) + " of translation pages";
    if (needed.hidden != 0) {
        formula += " and " + std::to_string(needed.hidden) +
                   " of pages that the map may hide, ftl.dftl.lazy_invalidate";
    }
    return spare_fits(geometry, needed.all(), reserve, formula,
                      least_share(geometry, params, reserve));
}

} // namespace cavern
