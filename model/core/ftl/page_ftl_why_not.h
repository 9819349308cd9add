#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/geometry.h"
#include "core/ftl/ftl_params.h"

namespace cavern {

/// Pages a page-mapped drive exports: the raw pages less the share `overprovision`, rounded down.
[[nodiscard]] std::uint64_t page_ftl_logical_pages(const Geometry& geometry, double overprovision);

/// Free blocks of a plane that the host never gets: a victim's pages must have a place, also if
/// programs or erases fail on the way.
[[nodiscard]] std::uint32_t page_ftl_kept(const FtlParams& params);

/// Blocks of a plane that pages in a row may begin beyond the first: as many kinds of data lie
/// apart.
[[nodiscard]] std::uint32_t page_ftl_begun(const FtlParams& params);

/// Blocks of a plane that padding may take, where mapping units share NAND pages or word lines:
/// what is lost at the end of a decision comes back only when its block is collected, and then some
/// is lost again.
[[nodiscard]] inline std::uint32_t page_ftl_padding(const Geometry& geometry) {
    return geometry.units_per_program() == 1 ? 0 : 2;
}

/// Blocks that each plane keeps beyond its data: those of gc_high and two; two more with hot and
/// cold blocks, those of every handle, one with static wear levelling, two where mapping units
/// share pages; those bad from the beginning where they are most; reserved ones.
[[nodiscard]] std::uint64_t page_ftl_reserve(const Geometry& geometry, const FtlParams& params);

/// Why a page-mapped FTL cannot be built so, as "what; what would be right" in the words of the
/// configuration; nothing if it can. Asks that under static striping, where a plane holds
/// ceil(logical pages / planes), each plane keeps page_ftl_reserve() blocks beyond its data:
/// collection then always reaches gc_high, with a partly filled frontier each for the host and for
/// collection.
[[nodiscard]] std::optional<std::string> page_ftl_why_not(const Geometry& geometry,
                                                          const FtlParams& params);

} // namespace cavern
