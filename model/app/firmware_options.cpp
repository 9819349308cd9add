#include "app/firmware_options.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "app/standard_output.h"
#include "core/base/error.h"

namespace cavern {

bool shows_firmware(const FirmwareOptions& options) {
    bool shows = options.gdb.has_value();
    for (const FirmwareFileRow& row : kFirmwareFiles) {
        shows = shows || !(options.*row.path).empty();
    }
    return shows;
}

CLI::Option* add_firmware_options(CLI::App& command, const std::string& prefix,
                                  FirmwareOptions& options) {
    CLI::Option* trace = nullptr;
    for (const FirmwareFileRow& row : kFirmwareFiles) {
        CLI::Option* option =
            command.add_option("--" + prefix + row.name, options.*row.path, row.help)
                ->type_name("FILE");
        if (prefix.empty()) { // the command prints what the firmware does
            refuse_standard_output(option);
        } else {
            name_output(option);
        }
        trace = row.path == &FirmwareOptions::trace ? option : trace;
    }
    command
        .add_option("--gdb", options.gdb,
                    "waits for GDB on this TCP port of this machine; 0: any that is free")
        ->check(CLI::Range(0, 65535))
        ->type_name("PORT");
    return trace;
}

void check_firmware_options(const FirmwareOptions& options, const std::string& prefix) {
    for (const FirmwareFileRow& row : kFirmwareFiles) {
        if (options.gdb && row.of_instructions && !(options.*row.path).empty()) {
            throw UserError("<command line>", 1,
                            fmt::format("--gdb does not go with --{}{}", prefix, row.name),
                            "run the image once more without a debugger");
        }
    }
}

} // namespace cavern
