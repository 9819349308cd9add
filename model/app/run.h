#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/firmware_options.h"
#include "core/base/units.h"
#include "results/run_files.h"

namespace CLI {
class App;
}

namespace cavern {

/// One simulation, as asked for on the command line (`cavern run`).
struct RunOptions {
    std::string command; ///< that repeats it
    std::string config;
    std::vector<std::string> overrides; ///< KEY=VALUE
    std::vector<std::string> traces;    ///< FILE, or NAME=FILE of several; empty with a workload
    std::string format;                 ///< empty: detected
    std::string columns;                ///< of a table that is the trace; empty: none
    std::string workload;               ///< generator description; empty with a trace
    std::string flow;                   ///< job, or trace of several, that is played alone
    std::optional<std::uint64_t> limit;
    std::uint64_t warmup = 0;
    std::optional<std::uint64_t> seed;
    std::string out = "out/run";
    std::vector<AskedFile> files{run_files().size()}; ///< by row
    std::string load_state;  ///< what the drive begins with; empty: what it is configured to
    std::string save_state;  ///< what it ends with
    std::string state_cache; ///< folder of what drives begin with
    std::uint64_t cache_bytes = std::uint64_t{16} << 30; ///< that it holds at most
    FirmwareOptions firmware;
    TimeWindow firmware_trace_window; ///< only requests that the processor takes up in it
    bool json = false;                ///< prints the summary
    bool quiet = false;
};

void add_run_command(CLI::App& app, RunOptions& options);

/// Runs it: summary.json and config.toml in `out`, the logs where asked. Returns the exit status
/// (0, or 130 when interrupted, with results so far marked incomplete). Throws UserError before
/// anything is written, ModelError when the model finds itself inconsistent; in both cases no
/// result file is left, but that a ModelError leaves waves and what was asked for of the firmware:
/// they show what went wrong. So does what firmware of the user's does wrong, which is a UserError.
/// A debugger that ends the run is 1. May be called once per process: SystemC elaborates once.
int run_simulation(const RunOptions& options);

} // namespace cavern
