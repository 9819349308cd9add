#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/lookup/session.h"
#include "keys/config_key.h"

namespace cavern::lookup {

/// Everything that one run of cavern-lookup depends on.
struct RunSettings {
    session_settings session{};
    /// Or the firmware image: "iss" on the interpreter, "rtl" on Ibex, "lockstep" on both.
    std::string played_on = "host";
    std::string image;             ///< "iss": the image
    std::uint32_t line_bytes = 64; ///< of the line cache before the SDRAM
    std::uint32_t cache_bytes = 16384;
    std::uint32_t line_fill_cycles = 24;
    std::uint32_t line_write_back_cycles = 12;
};

/// Where settings come from.
struct RunSources {
    std::string config;                 ///< TOML: cache, flash, processor
    std::string workload;               ///< TOML: threads, files, records; empty: the defaults
    std::vector<std::string> overrides; ///< KEY=VALUE of either
};

/// The keys of the two files.
const Keys& config_file_keys();
const Keys& workload_file_keys();
std::vector<const ConfigKey*> all_keys();

/// One of them. Throws UserError for an unknown one, at the `nth` place of the command line.
const ConfigKey& find_setting(const std::string& name, std::size_t nth);

/// Throws UserError where a file or setting is wrong.
RunSettings read_settings(const RunSources& sources);

/// Every key with its value, as TOML.
std::string settings_toml(const RunSettings& settings);

} // namespace cavern::lookup
