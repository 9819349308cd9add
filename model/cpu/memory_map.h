#pragma once

#include <cstdint>

namespace cavern::cpu {

/// From `base`, `size` bytes long; never reaches past the end of the address space.
struct MemoryRegion {
    std::uint32_t base = 0;
    std::uint32_t size = 0;
    [[nodiscard]] constexpr bool contains(std::uint32_t address) const {
        return address - base < size;
    }
    /// All of `bytes` bytes, bytes > 0.
    [[nodiscard]] constexpr bool contains(std::uint32_t address, std::uint32_t bytes) const {
        return address - base < size && bytes <= size - (address - base);
    }
};

/// Where the processor sees what, and what an access costs beyond a tightly coupled memory's.
/// MemorySystem checks that sizes are multiples of a word and that memories do not overlap.
struct MemoryMap {
    /// Tightly coupled; the only memory that instructions are fetched from. Data may live there
    /// too.
    MemoryRegion instruction{0x0010'0000, 256 * 1024};
    MemoryRegion data{0x0020'0000, 256 * 1024};         ///< tightly coupled
    MemoryRegion registers{0x4000'0000, 64 * 1024};     ///< the drive's register block
    MemoryRegion timer{0x4001'0000, 4 * 1024};          ///< mtime, mtimecmp
    MemoryRegion uart{0x4002'0000, 4 * 1024};           ///< log, and the end of a run
    MemoryRegion sdram{0x8000'0000, 64 * 1024 * 1024u}; ///< behind the line cache

    /// Line cache: direct mapped, write back, write allocate. Both sizes are powers of two.
    std::uint32_t line_bytes = 64;
    std::uint32_t cache_bytes = 16 * 1024;
    std::uint32_t line_fill_cycles = 24;       ///< wait cycles of a miss, without a LineCostIf
    std::uint32_t line_write_back_cycles = 12; ///< more, when the line displaced is dirty
    std::uint32_t bus_wait_cycles = 2;         ///< of each access that a BusIf answers

    /// Where Ibex starts: the boot address (start of the vector table) plus 0x80.
    [[nodiscard]] constexpr std::uint32_t boot_address() const { return instruction.base; }
    [[nodiscard]] constexpr std::uint32_t reset_pc() const { return instruction.base + 0x80; }
};

} // namespace cavern::cpu
