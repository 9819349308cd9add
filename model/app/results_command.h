#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cavern {

struct ResultsCommandOptions {
    bool json = false;
    bool markdown = false;
    std::string file = "summary.json"; ///< of the schema
};

/// `cavern results`: what a run leaves, described.
void add_results_command(CLI::App& app, ResultsCommandOptions& options);
int run_results_command(const CLI::App& app, const ResultsCommandOptions& options);

} // namespace cavern
