#pragma once

#include <optional>
#include <vector>

#include "core/parts/energy.h"
#include "drive/ssd.h"

namespace cavern {

/// In joules, a value for each page type.
struct NandEnergy {
    std::vector<double> read;
    std::vector<double> program;
    double erase = 0;
    std::optional<double> standby;

    [[nodiscard]] double total() const;
};

/// The energy that a drive has spent since the end of the warm-up, in joules, worked out from what
/// its parts count anyway. A part without a supply voltage has none.
struct DriveEnergy {
    std::optional<NandEnergy> nand;
    std::optional<double> bus;
    std::optional<SdramEnergy> dram;
    std::optional<double> link;
    std::optional<double> controller;

    /// Sum of what is known; none where nothing is.
    [[nodiscard]] std::optional<double> total() const;
};

/// `span` is the time since the end of the warm-up.
[[nodiscard]] DriveEnergy energy_of(const Ssd& ssd, TimePs span);

} // namespace cavern
