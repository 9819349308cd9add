#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace cavern {

enum class NandInterface : std::uint8_t { kCustom, kSdr, kNvDdr };

/// The times that an interface in one of its timing modes gives a bus.
struct OnfiMode {
    TimePs byte;          ///< SDR: tRC, and tWC is no longer; NV-DDR: half of tCK
    TimePs command_cycle; ///< SDR: tWC; NV-DDR: the longer of tCK and tCAD
    TimePs t_adl;
    TimePs t_ccs;
    TimePs t_rhw;
    TimePs t_wb;
    TimePs t_whr;
};

/// ONFI's timing modes of an interface, by number; none of kCustom.
[[nodiscard]] const std::vector<OnfiMode>& onfi_modes(NandInterface interface);

} // namespace cavern
