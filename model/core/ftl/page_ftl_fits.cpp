#include "core/ftl/page_ftl_fits.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "core/ftl/victim_policy_table.h"

namespace cavern {

namespace {

/// Physical and logical page numbers are stored plus one in 32 bits.
constexpr std::uint64_t kMaxPages = 0xFFFF'FFFEu;

/// Rounded up to four decimals, so that the share printed is enough.
std::string share_text(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", std::ceil(share * 1e4 - 1e-9) / 1e4);
    return text;
}

} // namespace

std::uint64_t page_ftl_logical_pages(const Geometry& geometry, double overprovision) {
    // Shares such as 0.07 have no exact binary form; the allowance is far above that error and far
    // below a page.
    const double pages = static_cast<double>(geometry.pages()) * (1.0 - overprovision);
    return static_cast<std::uint64_t>(std::floor(pages + 1e-5));
}

std::optional<std::string> page_ftl_fits(const Geometry& geometry, const FtlParams& params) {
    if (geometry.pages_per_block > std::numeric_limits<std::uint16_t>::max()) {
        return "a block of " + std::to_string(geometry.pages_per_block) +
               " pages is too large; at most 65535 pages per block";
    }
    const std::uint64_t blocks = std::uint64_t{geometry.planes()} * geometry.blocks_per_plane;
    if (blocks > kMaxPages / geometry.pages_per_block) {
        return "the drive has more than 2^32 - 2 pages; fewer or larger pages";
    }
    if (params.gc_low < 1) {
        return "ftl.gc_low = 0 leaves collection no block to copy into; at least 1";
    }
    if (params.gc_high <= params.gc_low) {
        return "ftl.gc_high = " + std::to_string(params.gc_high) +
               " is not above ftl.gc_low = " + std::to_string(params.gc_low) + "; at least " +
               std::to_string(params.gc_low + 1);
    }
    if (find_victim_policy(params.gc_policy) == nullptr) {
        return "unknown ftl.gc_policy \"" + params.gc_policy + "\"; greedy";
    }
    if (!(params.overprovision >= 0.0 && params.overprovision < 1.0)) {
        return "ftl.overprovision is outside its range; a share from 0 to below 1";
    }
    const std::uint64_t reserve = std::uint64_t{params.gc_high} + 2;
    if (geometry.blocks_per_plane <= reserve) {
        return std::to_string(geometry.blocks_per_plane) +
               " blocks per plane are too few for ftl.gc_high = " + std::to_string(params.gc_high) +
               "; at least " + std::to_string(reserve + 1) + " (ftl.gc_high + 3)";
    }
    const std::uint64_t logical = page_ftl_logical_pages(geometry, params.overprovision);
    if (logical == 0) {
        return "ftl.overprovision leaves no page to export; a smaller share";
    }
    const std::uint64_t share = (logical + geometry.planes() - 1) / geometry.planes();
    const std::uint64_t used = (share + geometry.pages_per_block - 1) / geometry.pages_per_block;
    if (used + reserve > geometry.blocks_per_plane) {
        const double needed =
            static_cast<double>(reserve) / static_cast<double>(geometry.blocks_per_plane);
        return "ftl.overprovision leaves " + std::to_string(geometry.blocks_per_plane - used) +
               " spare blocks per plane of " + std::to_string(geometry.blocks_per_plane) + "; " +
               std::to_string(reserve) + " are needed (ftl.gc_high + 2), a share of at least " +
               share_text(needed);
    }
    return std::nullopt;
}

} // namespace cavern
