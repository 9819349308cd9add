#pragma once

#include <string>

#include "app/run.h"

namespace CLI {
class App;
}

namespace cavern {

struct ServeCommandOptions {
    ServeCommandOptions() { run.out = "out/serve"; }

    RunOptions run;     ///< drive, its overrides, what is written
    std::string socket; ///< path; empty: in the output folder
    std::string listen; ///< [HOST:]PORT instead
    std::string time = "free";
    std::string image;   ///< file; empty: the drive begins empty, and its contents are lost
    std::string command; ///< of the shell, run as a client; empty: none
    bool live = false;
};

/// `cavern serve CONFIG`: the modelled drive as a network block device.
void add_serve_command(CLI::App& app, ServeCommandOptions& options);
/// Serves until SIGINT or SIGTERM, or until its command ends; then writes results as a run does,
/// and returns 0, or the status of the command. Throws UserError before it serves, ModelError when
/// the model finds itself inconsistent.
int run_serve_command(const ServeCommandOptions& options);

} // namespace cavern
