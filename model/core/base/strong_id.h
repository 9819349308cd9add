#pragma once

#include <cstdint>
#include <type_traits>

namespace cavern {

/// Indices are distinct types, so that a die cannot be used as a plane. `raw` gives the number,
/// `Id{n}` makes one. All count from zero.
enum class ChannelId : std::uint32_t {};
enum class WayId : std::uint32_t {};
/// One NAND die (LUN) of the drive, numbered channel fastest, then way, then die within the way.
enum class DieId : std::uint32_t {};
/// One plane of the drive: die * planes per die + plane within the die.
enum class PlaneId : std::uint32_t {};
/// One erase block of the drive: plane * blocks per plane + block within the plane.
enum class BlockId : std::uint32_t {};
/// Logical page number: host byte address / NAND page size.
enum class Lpn : std::uint64_t {};
/// Logical block number: Lpn / pages per erase block.
enum class Lbn : std::uint64_t {};
/// Physical page number: BlockId * pages per block + page within the block.
enum class Ppn : std::uint64_t {};

template <typename Id>
[[nodiscard]] constexpr std::underlying_type_t<Id> raw(Id id) {
    static_assert(std::is_enum_v<Id>);
    return static_cast<std::underlying_type_t<Id>>(id);
}

/// Which version of its logical page a physical page holds: the number of the write, modulo 2^32.
/// Versions are compared for equality only. In a drive that survives a loss of power they are drawn
/// from one sequence for all pages, never wrap, and a larger one is newer.
using PageVersion = std::uint32_t;

inline constexpr Ppn kNoPpn{~std::uint64_t{0}};
inline constexpr Lpn kNoLpn{~std::uint64_t{0}};

} // namespace cavern
