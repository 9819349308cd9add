#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "cpu/program.h"
#include "drive/processor_firmware.h"
#include "timed/cpu/decision_cost.h"

namespace cavern {

/// What decisions cost on the processors of a configuration; null: nothing (cpu.model = none), or
/// what the firmware says that is executed. The drive has `logical_pages`.
std::unique_ptr<DecisionCostIf> make_decision_cost(const SsdConfig& config,
                                                   std::uint64_t logical_pages);

/// The image that the processor executes: that of cpu.firmware, or the one that is built in. Throws
/// UserError "FILE:1: what; what would be right", also where the tables of the firmware need more
/// SDRAM than there are addresses.
cpu::Program read_drive_image(const SsdConfig& config);
/// A file with that image, for a debugger: the built-in one is what the build has left beside the
/// program. Empty: there is none.
std::string drive_image_file(const SsdConfig& config);

/// The firmware on its processor, started; null where none is executed. In a run with time its
/// accesses are transactions, and it is a module of SystemC. `watch` may be null, and outlives it.
/// Throws what read_drive_image() and ProcessorFirmware throw.
std::shared_ptr<ProcessorFirmware> make_processor_firmware(const SsdConfig& config,
                                                           FirmwareWatchIf* watch = nullptr);

} // namespace cavern
