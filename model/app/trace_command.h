#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace cavern {

/// `cavern-sim trace {info,convert,generate}`.
struct TraceCommandOptions {
    std::string input;
    std::string output;
    std::string format; ///< of the input; empty: detected
    std::string device;
    std::string columns;
    std::string to = "csv";
    std::string workload;
    std::string json;
    std::string save;
    std::optional<std::uint64_t> limit;
    std::uint64_t seed = 1;
    bool fit = false;
    bool lossy = false;
    bool no_reuse = false;
};

/// How a table of somebody else's is read as a trace.
void add_columns_option(CLI::App& command, std::string& columns);
void add_trace_command(CLI::App& app, TraceCommandOptions& options);
/// Returns the exit status; throws UserError.
int run_trace_command(const CLI::App& app, const TraceCommandOptions& options);

} // namespace cavern
