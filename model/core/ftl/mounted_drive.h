#pragma once

#include <cstdint>
#include <vector>

#include "core/base/strong_id.h"

namespace cavern {

/// What a translation layer asks of the drive that it takes over.
struct MountNeeds {
    std::uint32_t erased_blocks = 1;            ///< of each plane, where pages are mapped
    std::uint32_t most_of_plane = 0xFFFF'FFFFu; ///< logical blocks, where blocks are
    /// Logical blocks of a superblock, across which its pages go in turn. They are numbered
    /// superblock by superblock.
    std::uint32_t columns = 1;
    /// By logical block: where it is to lie, if that plane has an erased block. Empty: where its
    /// pages lie.
    std::vector<PlaneId> homes{};
    /// Pages of a superblock in which each may lie anywhere, and by superblock how many blocks it
    /// may have.
    std::uint64_t unit_pages = 0;
    std::vector<std::uint32_t> most_of_unit{};
    std::vector<BlockId> bad{}; ///< which take no program
};

/// What flash holds when a drive has recovered from a loss of power: what a translation layer is
/// built from (MountIf). Every block that is in use holds a page that the map points to, or is
/// the one to be filled next.
struct MountedDrive {
    struct Block {
        std::uint32_t erases = 0;
        std::uint32_t next = 0; ///< programmable page; 0: the block is erased
        bool open = false;      ///< goes on to be filled, at most one of a plane and kind of pages
    };
    /// By logical page, those of the layer's own map behind: physical page + 1, or 0.
    std::vector<std::uint64_t> places;
    std::vector<Block> blocks; ///< by BlockId
    /// Blocks that are not erased, in the order in which they were filled.
    std::vector<BlockId> filled;
};

} // namespace cavern
