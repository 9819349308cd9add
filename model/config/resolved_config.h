#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config_keys.h"
#include "config/drive_plan.h"

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

/// A file that was or will be read for a configuration.
struct ConfigInput {
    std::string name; ///< CONFIG, extends, or the key that names it
    std::string path;
};

struct ResolvedConfig {
    DrivePlan config;
    /// One per row of config_keys(); empty where an optional key is absent.
    std::vector<std::optional<Setting>> settings;
    std::vector<ConfigInput> files;
};

/// Where that key of those named was given which was given last; nothing: all have their defaults.
[[nodiscard]] std::optional<SettingOrigin> latest_origin(const ResolvedConfig& resolved,
                                                         const std::vector<std::string>& keys);

} // namespace cavern
