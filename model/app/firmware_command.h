#pragma once

#include <cstdint>
#include <string>

#include "app/firmware_options.h"

namespace CLI {
class App;
}

namespace cavern {

struct FirmwareCommandOptions {
    std::string image;
    std::string cpu = "iss";
    FirmwareOptions show;
    std::uint64_t max_instructions = 1'000'000'000;
    bool traps = false;
};

/// `cavern firmware IMAGE`: runs a firmware image on the processor alone, its log on stdout.
void add_firmware_command(CLI::App& app, FirmwareCommandOptions& options);
/// 0: the firmware ended with status 0. 1: another status, the watchdog, or a fault; one line on
/// stderr says where. Throws UserError where the image is none, and ModelError where the core and
/// the interpreter differ.
int run_firmware_command(const FirmwareCommandOptions& options);

} // namespace cavern
