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

/// Neighbouring sectors of a page: all of a page of any size, unless it says which.
struct SectorSpan {
    std::uint8_t first = 0;
    std::uint8_t last = kMaxSectors - 1; ///< below `first`: none

    [[nodiscard]] constexpr bool empty() const { return first > last; }
    [[nodiscard]] constexpr bool operator==(SectorSpan other) const {
        return first == other.first && last == other.last;
    }
    /// Where they begin in their page, which has `page_bytes`; and how many bytes they are of it.
    [[nodiscard]] constexpr std::uint32_t begin() const {
        return first * static_cast<std::uint32_t>(kSectorBytes);
    }
    [[nodiscard]] constexpr std::uint32_t bytes(std::uint32_t page_bytes) const {
        const std::uint64_t end = (last + std::uint64_t{1}) * kSectorBytes;
        return (last == kMaxSectors - 1 || end > page_bytes ? page_bytes
                                                            : static_cast<std::uint32_t>(end)) -
               begin();
    }
};
inline constexpr SectorSpan kNoSectors{1, 0};

/// From the first of the sectors to the last of them.
[[nodiscard]] constexpr SectorSpan span_of(SectorMask sectors) {
    return sectors == 0 ? kNoSectors
                        : SectorSpan{static_cast<std::uint8_t>(__builtin_ctzll(sectors)),
                                     static_cast<std::uint8_t>(63 - __builtin_clzll(sectors))};
}

} // namespace cavern
