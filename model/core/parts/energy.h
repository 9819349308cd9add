#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "core/parts/currents.h"
#include "core/parts/sdram_timing.h"

namespace cavern {

/// In joules: of a supply that gives a current at a voltage for a time.
[[nodiscard]] double supply_energy(std::uint64_t millivolts, double nanoamperes,
                                   double picoseconds);

/// What `picoseconds` of moving data cost one die, in joules.
[[nodiscard]] double nand_bus_energy(const NandCurrents& part, double picoseconds);

/// What an SDRAM rank did.
struct SdramWork {
    std::uint64_t activates = 0;
    std::uint64_t read_bursts = 0;
    std::uint64_t write_bursts = 0;
    std::uint64_t refreshes = 0;
    TimePs active = 0; ///< with a row open
    TimePs span = 0;   ///< all of it
};

/// In joules.
struct SdramEnergy {
    double activate = 0; ///< of activate and precharge
    double read = 0;
    double write = 0;
    double refresh = 0;
    double active = 0;     ///< background with a row open
    double precharged = 0; ///< background with none open

    [[nodiscard]] double total() const {
        return activate + read + write + refresh + active + precharged;
    }
};

/// Micron, TN-41-01, Calculating Memory System Power for DDR3: each operation costs what its IDD
/// exceeds the background by, for its time. I/O and termination depend on the board and are left
/// out, and so is power-down, which the controller does not use.
[[nodiscard]] SdramEnergy sdram_energy(const SdramCurrents& part, const SdramTiming& timing,
                                       const SdramWork& work);

} // namespace cavern
