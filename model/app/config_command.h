#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cavern {

/// `cavern-sim config {show,diff,drives,list,nand-commands,schema,explain}`.
struct ConfigCommandOptions {
    std::string file;
    std::string other; ///< of diff
    std::vector<std::string> overrides;
    std::string key;
    std::string section;
    std::string part;
    bool derived = false;
    bool json = false;
    bool markdown = false;
};

void add_config_command(CLI::App& app, ConfigCommandOptions& options);
/// Returns the exit status; throws UserError.
int run_config_command(const CLI::App& app, const ConfigCommandOptions& options);

} // namespace cavern
