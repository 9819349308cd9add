#pragma once

#include <filesystem>

namespace cavern {

/// Folder of the drives and parts that come with the program, or with the library:
/// share/cavern/configs of the prefix that it is installed below, wherever that has been moved;
/// that of the source tree for a program that is run where it was built.
[[nodiscard]] std::filesystem::path installed_configs();

/// The same for a program or library that lies at `file`; `otherwise` where nothing is installed
/// beside it.
[[nodiscard]] std::filesystem::path configs_of(const std::filesystem::path& file,
                                               const std::filesystem::path& otherwise);

} // namespace cavern
