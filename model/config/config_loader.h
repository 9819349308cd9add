#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/config_keys.h"

namespace cavern {

/// Where a value came from, weakest first.
enum class Layer : std::uint8_t { kDefault, kPart, kFile, kCommandLine };

struct SettingOrigin {
    Layer layer = Layer::kDefault;
    std::uint32_t rank = 0; ///< a higher rank overrides: a base file below the file that extends it
    std::string file;       ///< kCommandLine: "<command line>"
    std::size_t line = 1;   ///< kCommandLine: ordinal of the --set option, from 1
};

struct Setting {
    ConfigValue value;
    SettingOrigin origin;
};

struct ResolvedConfig {
    SsdConfig config;
    /// One per row of config_keys(); empty where an optional key is absent.
    std::vector<std::optional<Setting>> settings;
};

/// Folder of the parts that come with the program.
[[nodiscard]] std::filesystem::path installed_configs();

/// Reads a drive description and everything it rests on: `extends` files, NAND and DRAM parts,
/// overrides of the form "KEY=VALUE" (VALUE as TOML or a bare word). A part is searched as
/// nand/NAME.toml or dram/NAME.toml beside the file that names it, beside `file`, and in
/// `installed`. Defaults < part < base < file < overrides. Throws UserError.
[[nodiscard]] ResolvedConfig
load_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
            const std::filesystem::path& installed = installed_configs());

} // namespace cavern
