#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/resolved_config.h"

namespace cavern {

/// The input of a run.
struct RunInput {
    std::string kind;                  ///< trace, traces, workload or clients
    std::string path;                  ///< as given; of clients the URI that they are served at
    std::string format;                ///< asked for with --format; empty: recognised
    std::optional<std::string> sha256; ///< of the file as it lies there; none of a pipe
    std::optional<std::uint64_t> limit;
    std::uint64_t warmup = 0;
    std::string flow = {};     ///< that was played alone; empty: all
    std::string state = {};    ///< file that the drive began with; empty: none
    std::string state_id = {}; ///< of what that holds
};

/// A file that a run wrote beside its summary.
struct RunFile {
    std::string what; ///< the option that asked for it, without dashes
    std::string path; ///< seen from the folder of the summary
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// The identity of a run, apart from what it measured.
struct RunIdentity {
    std::string command; ///< that repeats it, from the same folder
    std::string started; ///< UTC, ISO 8601
    RunInput input;
    std::vector<RunFile> files;
    std::vector<std::string> notes; ///< on what the input asks for and does not get
};

/// The version of this program.
[[nodiscard]] const char* program_version();
/// The last commit that changed what this program is built of, with "-modified" where that was
/// changed since; "unknown" without a repository.
[[nodiscard]] const char* program_commit();

/// 16 digits, the same for the same program, configuration and input; what clients ask for is never
/// the same.
[[nodiscard]] std::string run_id(const ResolvedConfig& resolved, const RunIdentity& identity);

/// Now, as RunIdentity::started says it.
[[nodiscard]] std::string time_of_day();

/// The files are known when everything else of a summary is.
void set_files(nlohmann::ordered_json& summary, const std::vector<RunFile>& files);

} // namespace cavern
