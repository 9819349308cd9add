#include <algorithm>
#include <string>

#include "core/ftl/d_choices.h"
#include "core/ftl/dftl.h"
#include "core/ftl/dftl_shape.h"
#include "core/ftl/ftl_why_not.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {

MapMemory dftl_map_memory(const Geometry&, const FtlParams& params) {
    return {MapKind::kEntries, map_cache_bytes(params), 8, 8, 8};
}

std::optional<std::string> dftl_why_not(const Geometry& geometry, const FtlParams& params) {
    if (const auto problem = drive_fits(geometry, params)) {
        return problem;
    }
    if (find_victim_policy(params.gc_policy) == nullptr) {
        return "unknown ftl.gc_policy \"" + params.gc_policy + "\"; greedy";
    }
    if (params.gc_in_pages) {
        return "ftl.gc_unit = \"pages\" does not go with dftl, whose translation pages need whole "
               "blocks kept free; \"blocks\"";
    }
    if (params.d_choices > DChoices::kMaxChoices) {
        return "ftl.d-choices.d = " + std::to_string(params.d_choices) + " is too large; at most " +
               std::to_string(DChoices::kMaxChoices);
    }
    if (params.dftl_lazy_invalidate && !params.dftl_write_shim) {
        return "ftl.dftl.lazy_invalidate with ftl.dftl.write_miss = original, which reads the "
               "translation page and so knows; shim";
    }
    const std::uint64_t logical = exported_pages(geometry, params.overprovision);
    const std::uint64_t share = (logical + geometry.planes() - 1) / geometry.planes();
    // Each entry can keep a page from being collected.
    const std::uint64_t entries = std::max(params.map_cache_most, map_cache_bytes(params)) / 8;
    const std::uint64_t hidden = params.dftl_lazy_invalidate ? std::min(entries, share) : 0;
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
