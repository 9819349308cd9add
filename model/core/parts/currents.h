#pragma once

#include <cstdint>

namespace cavern {

/// Supply of one NAND die (LUN), as a data sheet gives it; names of ONFI 5.0, 2.12. 0: not known.
struct NandCurrents {
    std::uint64_t vcc_mv = 0;
    std::uint64_t icc_read_na = 0;    ///< ICC1
    std::uint64_t icc_program_na = 0; ///< ICC2
    std::uint64_t icc_erase_na = 0;   ///< ICC3
    std::uint64_t icc_bus_na = 0;     ///< ICC4R, ICC4W: of Vcc while data move
    std::uint64_t icc_standby_na = 0; ///< ISB
    std::uint64_t vccq_mv = 0;
    std::uint64_t iccq_bus_na = 0; ///< ICCQ4R, ICCQ4W: of VccQ while data move

    /// Those of the array are.
    [[nodiscard]] bool known() const {
        return vcc_mv != 0 && icc_read_na != 0 && icc_program_na != 0 && icc_erase_na != 0;
    }
    [[nodiscard]] bool bus_known() const {
        return (vcc_mv != 0 && icc_bus_na != 0) || (vccq_mv != 0 && iccq_bus_na != 0);
    }
};

/// Supply of one SDRAM device, by JEDEC symbol (JESD79-3, 10); `devices` make the rank. 0: not
/// known.
struct SdramCurrents {
    std::uint32_t devices = 0;
    std::uint64_t vdd_mv = 0;
    std::uint64_t idd0_na = 0;
    std::uint64_t idd2n_na = 0;
    std::uint64_t idd3n_na = 0;
    std::uint64_t idd4r_na = 0;
    std::uint64_t idd4w_na = 0;
    std::uint64_t idd5_na = 0;

    [[nodiscard]] bool known() const { return devices != 0; }
};

} // namespace cavern
