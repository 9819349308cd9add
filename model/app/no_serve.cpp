// In the place of serve_command.cpp and serve_options.cpp where CAVERN_SERVE is OFF.

#include <CLI/CLI.hpp>

#include "app/built_without.h"
#include "app/serve_command.h"

namespace cavern {

void add_serve_command(CLI::App& app, ServeCommandOptions& /*options*/) {
    app.add_subcommand("serve", "is not in this program")->prefix_command();
}

int run_serve_command(const ServeCommandOptions& /*options*/) {
    refuse_built_without("serve");
}

} // namespace cavern
