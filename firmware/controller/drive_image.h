#pragma once

#include <string>

#include "config/drive_plan.h"
#include "cpu/program.h"

namespace cavern {

/// The image that the processor executes: that of cpu.firmware, or the one that is built in. Throws
/// UserError "FILE:1: what; what would be right", also where the tables of the firmware need more
/// SDRAM than there are addresses.
cpu::Program read_drive_image(const DrivePlan& config);
/// A file with that image, for a debugger: the built-in one is what the build has left beside the
/// program. Empty: there is none.
std::string drive_image_file(const DrivePlan& config);

} // namespace cavern
