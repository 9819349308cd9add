#pragma once

#include <cstdint>

namespace cavern::cpu {

/// The answer to one access.
struct BusAnswer {
    std::uint32_t data = 0;        ///< of a load, zero-extended
    std::uint32_t wait_cycles = 0; ///< cycles beyond those of a tightly coupled memory
    bool fault = false;            ///< nothing is there, or it refuses the access
};

/// The lowest `size` bytes of `value`; `size` is 1 to 4.
[[nodiscard]] constexpr std::uint32_t low_bytes(std::uint32_t value, std::uint32_t size) {
    return size == 4 ? value : value & ((1u << (8 * size)) - 1);
}

/// The devices outside the memories: register block, machine timer, UART. The memory system calls
/// it for every address that no memory has. An access lies within one word (address % 4 + size <=
/// 4, size 1 to 4). `cycle` is that of the instruction. An implementation may raise interrupt lines
/// of the hart and ask it to stop, but must not run it.
class BusIf {
  public:
    virtual ~BusIf() = default;
    virtual BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) = 0;
    /// Stores the lowest `size` bytes of `value`.
    virtual BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                            std::uint64_t cycle) = 0;
};

/// The time of moving a line between the line cache and the SDRAM. Without one the memory map's
/// constants hold. Bytes move through direct access; this is time alone.
class LineCostIf {
  public:
    virtual ~LineCostIf() = default;
    /// Wait cycles to fetch the line at `address`.
    virtual std::uint32_t fill(std::uint32_t address, std::uint32_t bytes, std::uint64_t cycle) = 0;
    /// Wait cycles to write a dirty line back; it precedes the fill that displaces it.
    virtual std::uint32_t write_back(std::uint32_t address, std::uint32_t bytes,
                                     std::uint64_t cycle) = 0;
};

} // namespace cavern::cpu
