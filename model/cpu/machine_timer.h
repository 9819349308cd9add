#pragma once

#include <cstdint>

#include "cpu/bus_if.h"

namespace cavern::cpu {

/// mtime and mtimecmp of the RISC-V privileged ISA, with one tick per cycle of the processor.
/// Registers, by offset: 0x0 and 0x4 mtime, low and high word; 0x8 and 0xC mtimecmp. Whole words
/// only. The interrupt line is high while mtime >= mtimecmp; after reset mtimecmp is 2^64 - 1.
class MachineTimer {
  public:
    [[nodiscard]] BusAnswer load(std::uint32_t offset, std::uint32_t size,
                                 std::uint64_t cycle) const;
    BusAnswer store(std::uint32_t offset, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle);
    [[nodiscard]] bool line(std::uint64_t cycle) const { return cycle + offset_ >= compare_; }
    /// The cycle in which the line rises, if it is low at `cycle`; 2^64 - 1 for never.
    [[nodiscard]] std::uint64_t rises_at(std::uint64_t cycle) const;

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    std::uint64_t offset_ = 0; ///< mtime less the cycle, modulo 2^64
    std::uint64_t compare_ = kNever;
};

} // namespace cavern::cpu
