#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/geometry.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

// What the `why_not` functions of translation layers (FtlRow) share. Each says what is wrong as
// "what; what would be right" in the words of the configuration, or nothing.

/// Pages a drive exports: the raw pages less the share `overprovision`, rounded down.
[[nodiscard]] std::uint64_t exported_pages(const Geometry& geometry, double overprovision);

/// Blocks that those take, if each logical block has one.
[[nodiscard]] std::uint64_t data_blocks(const Geometry& geometry, double overprovision);

/// Limits that hold for every layer: sizes that the maps can count, a share that leaves a page. A
/// layer is `wide` if its map takes page numbers of more than 32 bits.
[[nodiscard]] std::optional<std::string> drive_fits(const Geometry& geometry,
                                                    const FtlParams& params, bool wide = false);

/// Whether there is a victim policy, and its parameters fit.
[[nodiscard]] std::optional<std::string> collection_fits(const FtlParams& params);

/// Whether a plane has `reserve` blocks beside those its data take; `formula` explains the reserve.
/// `share` is advised instead of the reserve's own, where data take more than their pages.
[[nodiscard]] std::optional<std::string> spare_fits(const Geometry& geometry,
                                                    std::uint64_t data_blocks,
                                                    std::uint64_t reserve, std::string_view formula,
                                                    std::optional<double> share = std::nullopt);

/// Whether the whole drive has `reserve` blocks beside those its data take, for layers that put
/// blocks in any plane.
[[nodiscard]] std::optional<std::string> drive_spare_fits(const Geometry& geometry,
                                                          double overprovision,
                                                          std::uint64_t reserve,
                                                          std::string_view formula);

} // namespace cavern
