#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cavern {

/// A kind of file that can be called by a name. python/cavern/names.py has the same rule;
/// tests/cli/test_names.py compares them.
struct FileKind {
    std::string_view what;   ///< of the file: "trace"
    std::string_view folder; ///< of those that come with the program, below share/cavern
    std::string_view ending; ///< that a name need not have
    bool elsewhere;          ///< the folder of CAVERN_TRACES may have more of them
    std::string_view list;   ///< the command that lists them; empty: an error message does
};

inline constexpr FileKind kDrives{"TOML file", "configs", ".toml", false, "cavern config drives"};
inline constexpr FileKind kWorkloads{"workload", "traces/workloads", ".toml", true, {}};
inline constexpr FileKind kTraces{"trace", "traces", ".csv.xz", true, {}};

/// The folder of those that come with the program.
[[nodiscard]] std::filesystem::path installed_folder(const FileKind& kind);

/// The file that somebody calls `name`: the first of
/// 1. that file, if it is there and no folder;
/// 2. that file in the folder that the environment variable CAVERN_TRACES names (no drive);
/// 3. the one of `folder`, with or without the kind's folder before it and its ending behind it.
/// `name` again where there is none; "-" and "" are themselves.
[[nodiscard]] std::string find_file(const FileKind& kind, const std::string& name,
                                    const std::filesystem::path& folder);
[[nodiscard]] std::string find_file(const FileKind& kind, const std::string& name);

/// The third of these alone; nothing where it is not there.
[[nodiscard]] std::optional<std::string> shipped_file(const FileKind& kind, const std::string& name,
                                                      const std::filesystem::path& folder);

/// The same for what has to be there: throws UserError, with a name that may be meant.
[[nodiscard]] std::string require_file(const FileKind& kind, const std::string& name);

/// The names of those in `folder`, in alphabetical order.
[[nodiscard]] std::vector<std::string> file_names(const FileKind& kind,
                                                  const std::filesystem::path& folder);

/// What would be right where there is no file `name`.
[[nodiscard]] std::string instead_of(const FileKind& kind, std::string_view name);

/// Folder of the drives and parts that come with the program, or with the library:
/// share/cavern/configs of the prefix that it is installed below, wherever that has been moved;
/// that of the source tree for a program that is run where it was built.
[[nodiscard]] std::filesystem::path installed_configs();

/// The same for a program or library that lies at `file`; `otherwise` where nothing is installed
/// beside it.
[[nodiscard]] std::filesystem::path configs_of(const std::filesystem::path& file,
                                               const std::filesystem::path& otherwise);

} // namespace cavern
