#pragma once

#include "config/config.h"
#include "firmware/firmware_params.h"

namespace cavern {

/// What the firmware has to be for this configuration; firmware_why_not() says whether it can.
[[nodiscard]] FirmwareParams firmware_params(const SsdConfig& config);

} // namespace cavern
