#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// Times of a NAND part and its bus, by data-sheet symbol. Multi-level parts have a tR and a tPROG
/// per page type: the type of page p is p mod (number of entries).
struct NandTiming {
    std::vector<TimePs> t_r;    ///< array to page register, per page type; at least one
    std::vector<TimePs> t_prog; ///< page register to array, per page type; at least one
    TimePs t_bers = 0;
    /// One byte on the bus, in femtoseconds: 2400 MT/s is 416,666 fs, which picoseconds would miss
    /// by 0.2 %.
    std::uint64_t bus_byte_fs = 0;
    TimePs command_cycle = 0;         ///< one command or address cycle
    std::uint32_t read_cycles = 7;    ///< 00h, 5 address, 30h
    std::uint32_t program_cycles = 7; ///< 80h, 5 address, 10h
    std::uint32_t erase_cycles = 5;   ///< 60h, 3 address, D0h

    /// Time of `bytes` on the bus.
    [[nodiscard]] TimePs data_time(std::uint64_t bytes) const {
        return (bytes * bus_byte_fs + 500) / 1000;
    }
};

} // namespace cavern
