#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/geometry.h"

namespace cavern {

/// What a drive writes of its map, so that it comes back after a loss of power (core/recovery).
enum class MapLogKind : std::uint8_t {
    kNone,       ///< nothing: the spare areas say all
    kCheckpoint, ///< the whole map from time to time, and a journal of its changes
    kMarks,      ///< sequence numbers at which the drive is in one piece (LTFTL)
};

struct MapLogParams {
    MapLogKind kind = MapLogKind::kNone;
    /// Programs between two checkpoints.
    std::uint64_t interval = 10'000;
    /// Changes of the map in a page of the journal; 0: there is none.
    std::uint32_t journal = 100;

    static constexpr std::uint32_t kEntryBytes = 8;   ///< place and sequence number of a page
    static constexpr std::uint32_t kBlockBytes = 8;   ///< erases and next page of a block
    static constexpr std::uint32_t kChangeBytes = 12; ///< physical page, logical page, number

    /// NAND pages of a checkpoint of so many logical pages.
    [[nodiscard]] static std::uint64_t checkpoint_pages(const Geometry& geometry,
                                                        std::uint64_t logical_pages) {
        const std::uint64_t bytes =
            logical_pages * kEntryBytes + std::uint64_t{geometry.blocks()} * kBlockBytes;
        const std::uint64_t page = nand_page_bytes(geometry);
        return (bytes + page - 1) / page;
    }
    [[nodiscard]] static std::uint64_t nand_page_bytes(const Geometry& geometry) {
        return std::uint64_t{geometry.page_bytes} * geometry.units_per_page;
    }
    /// The first blocks of each plane, in which this lies, in two halves: one is written while the
    /// other one holds. A half has room for a checkpoint, and for the journal up to the next one,
    /// or one as large as the checkpoint.
    [[nodiscard]] std::uint32_t reserved_blocks(const Geometry& geometry) const {
        if (kind == MapLogKind::kNone) {
            return 0;
        }
        std::uint64_t pages = 1;
        if (kind == MapLogKind::kCheckpoint) {
            const std::uint64_t map = checkpoint_pages(geometry, geometry.pages());
            pages = map + (journal != 0 ? std::min(map, interval / journal + 1) : 0);
        }
        const std::uint64_t row =
            std::uint64_t{geometry.planes()} * geometry.pages_per_block / geometry.units_per_page;
        const std::uint64_t half = (pages + row - 1) / row;
        return static_cast<std::uint32_t>(2 *
                                          std::min<std::uint64_t>(half, geometry.blocks_per_plane));
    }
};

} // namespace cavern
