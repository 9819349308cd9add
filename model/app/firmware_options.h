#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cavern {

/// What may be asked for of firmware that is executed, alone or in a drive. Empty: not asked for.
struct FirmwareOptions {
    std::string trace;
    std::string profile;
    std::string coverage;
    std::string log;
    std::optional<std::uint16_t> gdb; ///< port, 0 for any
};

struct FirmwareFileRow {
    const char* name; ///< of the option, behind its prefix
    std::string FirmwareOptions::*path;
    bool of_instructions; ///< is made of each, which a debugger has to itself
    const char* help;
};
inline constexpr FirmwareFileRow kFirmwareFiles[] = {
    {"trace", &FirmwareOptions::trace, true, "writes every instruction with its effects"},
    {"profile", &FirmwareOptions::profile, true,
     "writes the cycles of each function and call stack, as folded stacks"},
    {"coverage", &FirmwareOptions::coverage, true,
     "writes how often each line of the source was executed, for lcov"},
    {"log", &FirmwareOptions::log, false,
     "writes what the firmware prints, with the cycle of each line"}};

/// Whether any of it is asked for.
[[nodiscard]] bool shows_firmware(const FirmwareOptions& options);
/// The options "--PREFIXtrace" and so on, and --gdb. Returns that of the trace.
CLI::Option* add_firmware_options(CLI::App& command, const std::string& prefix,
                                  FirmwareOptions& options);
/// Throws UserError where a debugger and a file exclude each other.
void check_firmware_options(const FirmwareOptions& options, const std::string& prefix);

} // namespace cavern
