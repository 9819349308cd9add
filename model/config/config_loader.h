#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/file_names.h"
#include "config/resolved_config.h"

namespace cavern {

/// Reads a drive description (find_file) and everything it rests on: `extends` files, NAND and
/// DRAM parts, overrides of the form "KEY=VALUE" (VALUE as TOML or a bare word). A part is searched
/// as nand/NAME.toml or dram/NAME.toml beside the file that names it, beside `file`, and in
/// `installed`. Defaults < part < base < file < overrides. Throws UserError.
[[nodiscard]] ResolvedConfig
load_config(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
            const std::filesystem::path& installed = installed_configs());

} // namespace cavern
