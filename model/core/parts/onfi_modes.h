#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace cavern {

enum class NandInterface : std::uint8_t { kCustom, kSdr, kNvDdr, kNvDdr2, kNvDdr3 };

/// The times that an interface in one of its timing modes gives a bus.
struct OnfiMode {
    /// SDR: tRC, and tWC is no longer; NV-DDR: half of tCK; NV-DDR2, NV-DDR3: half of tRC
    std::uint64_t byte_fs;
    TimePs command_cycle; ///< NV-DDR: the longer of tCK and tCAD; else tWC
    TimePs t_adl;
    TimePs t_ccs;
    TimePs t_rhw;
    TimePs t_wb;
    TimePs t_whr;
};

/// ONFI's timing modes of an interface, by number; none of kCustom.
[[nodiscard]] const std::vector<OnfiMode>& onfi_modes(NandInterface interface);

} // namespace cavern
