#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/geometry.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/ftl_why_not.h"

namespace cavern {

// Sizes that follow from the geometry of a drive under DFTL.

/// Map entries of a translation page: physical page numbers of four bytes.
[[nodiscard]] inline std::uint32_t entries_per_table(const Geometry& geometry) {
    return std::max(geometry.page_bytes / 4, 1u);
}

/// Of the plane with most logical pages.
[[nodiscard]] inline std::uint64_t translation_pages_per_plane(const Geometry& geometry,
                                                               const FtlParams& params) {
    const std::uint64_t pages = exported_pages(geometry, params.overprovision);
    const std::uint64_t share = (pages + geometry.planes() - 1) / geometry.planes();
    return (share + entries_per_table(geometry) - 1) / entries_per_table(geometry);
}

[[nodiscard]] inline std::uint64_t translation_pages(const Geometry& geometry,
                                                     const FtlParams& params) {
    return translation_pages_per_plane(geometry, params) * geometry.planes();
}

/// Free blocks of a plane that the host never gets: data and translation pages each may need one
/// while a victim is emptied, and four more where programs or erases fail on the way.
[[nodiscard]] inline std::uint32_t dftl_kept(const FtlParams& params) {
    return params.faults.can_grow() ? 6 : 2;
}
/// Watermarks: one free block for each kind of page is the least that collection can start with.
[[nodiscard]] inline std::uint32_t dftl_gc_low(const FtlParams& params) {
    return std::max(params.gc_low, dftl_kept(params) + (params.recovers ? 1u : 0u));
}
[[nodiscard]] inline std::uint32_t dftl_gc_high(const FtlParams& params) {
    return std::max(params.gc_high, dftl_gc_low(params) + 1);
}

} // namespace cavern
