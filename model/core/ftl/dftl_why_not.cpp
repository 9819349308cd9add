#include <algorithm>
#include <string>

#include "core/ftl/dftl.h"
#include "core/ftl/dftl_shape.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

std::uint64_t dftl_cache_bytes(const FtlParams& params) {
    const std::uint32_t entries = own_params<DftlParams>(params).entries;
    return entries != 0 ? std::uint64_t{entries} * 8 : params.map_cache_bytes;
}

MapMemory dftl_map_memory(const Geometry&, const FtlParams& params) {
    return {MapKind::kEntries, dftl_cache_bytes(params), 8, 8, 8};
}

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
    const std::uint64_t logical = exported_pages(geometry, params.overprovision);
    const std::uint64_t share = (logical + geometry.planes() - 1) / geometry.planes();
    // Each entry can keep a page from being collected.
    const std::uint64_t entries = std::max(params.map_cache_most, dftl_cache_bytes(params)) / 8;
    const std::uint64_t hidden = own.lazy_invalidate ? std::min(entries, share) : 0;
    const std::uint64_t data =
        (share + hidden + geometry.pages_per_block - 1) / geometry.pages_per_block;
    // Packed as tightly as they go, the last block open.
    const std::uint64_t tables =
        translation_pages_per_plane(geometry, params) / geometry.pages_per_block + 1;
    return spare_fits(geometry, data + tables, std::uint64_t{dftl_gc_high(params)} + 2,
                      "ftl.gc_high, at least 3, + 2, beside " + std::to_string(tables) +
                          " of translation pages");
}

} // namespace cavern
