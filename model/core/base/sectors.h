#pragma once

#include <cstdint>

namespace cavern {

/// What hosts address, a logical block of SATA and NVMe, and what most trace formats count in.
inline constexpr std::uint64_t kSectorBytes = 512;

/// Sectors of a page, the first in bit 0.
using SectorMask = std::uint64_t;
inline constexpr std::uint32_t kMaxSectors = 64;
/// Of a page of any size.
inline constexpr SectorMask kAllSectors = ~SectorMask{0};

[[nodiscard]] constexpr SectorMask first_sectors(std::uint64_t count) {
    return count >= kMaxSectors ? kAllSectors : (SectorMask{1} << count) - 1;
}

/// The sectors that `bytes` > 0 from `offset` of a page on touch.
[[nodiscard]] constexpr SectorMask sectors_touched(std::uint32_t offset, std::uint32_t bytes) {
    const std::uint64_t end = (offset + bytes + kSectorBytes - 1) / kSectorBytes;
    return first_sectors(end) & ~first_sectors(offset / kSectorBytes);
}

} // namespace cavern
