#include "core/ftl/ftl_why_not.h"

#include "core/ftl/victim_policy_table.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cavern {

namespace {

constexpr std::uint64_t kMaxWidePages = std::uint64_t{1} << 36;
/// Most layers store physical and logical page numbers plus one in 32 bits, as their papers do.
constexpr std::uint64_t kMostNarrowPages = 0xFFFF'FFFEu;

/// Rounded up to four decimals, so that the share printed is enough.
std::string share_text(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", std::ceil(share * 1e4 - 1e-9) / 1e4);
    return text;
}

} // namespace

std::uint64_t exported_pages(const Geometry& geometry, double overprovision) {
    // Shares such as 0.07 have no exact binary form; the allowance is far above that error and far
    // below a page.
    const double pages = static_cast<double>(geometry.pages()) * (1.0 - overprovision);
    return static_cast<std::uint64_t>(std::floor(pages + 1e-5));
}

std::uint64_t data_blocks(const Geometry& geometry, double overprovision) {
    return (exported_pages(geometry, overprovision) + geometry.pages_per_block - 1) /
           geometry.pages_per_block;
}

std::optional<std::string> drive_fits(const Geometry& geometry, const FtlParams& params,
                                      bool wide) {
    if (geometry.pages_per_block > std::numeric_limits<std::uint16_t>::max()) {
        return "a block of " + std::to_string(geometry.pages_per_block) +
               " pages is too large; at most 65535 pages per block";
    }
    const std::uint64_t blocks = std::uint64_t{geometry.planes()} * geometry.blocks_per_plane;
    if (!wide && blocks > kMostNarrowPages / geometry.pages_per_block) {
        return "the drive has more than 2^32 - 2 pages, and the maps of this layer hold page "
               "numbers "
               "of 32 bits; ftl.scheme = \"page\", or fewer or larger pages";
    }
    if (blocks > kMaxWidePages / geometry.pages_per_block) {
        return "the drive has more than 2^36 pages; fewer or larger pages";
    }
    if (!(params.overprovision >= 0.0 && params.overprovision < 1.0)) {
        return "ftl.overprovision is outside its range; a share from 0 to below 1";
    }
    if (exported_pages(geometry, params.overprovision) == 0) {
        return "ftl.overprovision leaves no page to export; a smaller share";
    }
    return std::nullopt;
}

std::optional<std::string> collection_fits(const FtlParams& params) {
    if (params.gc_policy == nullptr) {
        return "no ftl.gc_policy; greedy";
    }
    const SchemeKnobs& knobs = params.gc_policy->knobs;
    return knobs.why_not != nullptr ? knobs.why_not(params.gc_params) : std::nullopt;
}

namespace {

/// `of`: "per plane " or nothing.
std::optional<std::string> fits_beside(std::uint64_t blocks, std::uint64_t data_blocks,
                                       std::uint64_t reserve, std::string_view formula,
                                       const std::string& of, std::optional<double> share) {
    if (reserve >= blocks) {
        return std::to_string(blocks) + " blocks " + of + "are too few for a reserve of " +
               std::to_string(reserve) + " (" + std::string(formula) + "); at least " +
               std::to_string(reserve + 1) + ", or a smaller reserve";
    }
    if (data_blocks + reserve > blocks) {
        const double needed =
            share.value_or(static_cast<double>(reserve) / static_cast<double>(blocks));
        return "ftl.overprovision leaves " +
               std::to_string(blocks - std::min(blocks, data_blocks)) + " spare blocks " + of +
               "of " + std::to_string(blocks) + "; " + std::to_string(reserve) + " are needed (" +
               std::string(formula) + "), a share of at least " + share_text(needed);
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> spare_fits(const Geometry& geometry, std::uint64_t data_blocks,
                                      std::uint64_t reserve, std::string_view formula,
                                      std::optional<double> share) {
    return fits_beside(geometry.blocks_per_plane, data_blocks, reserve, formula, "per plane ",
                       share);
}

std::optional<std::string> drive_spare_fits(const Geometry& geometry, double overprovision,
                                            std::uint64_t reserve, std::string_view formula) {
    return fits_beside(geometry.blocks(), data_blocks(geometry, overprovision), reserve, formula,
                       "", std::nullopt);
}

} // namespace cavern
