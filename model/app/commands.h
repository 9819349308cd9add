#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace cavern {

/// What the command line asks for. Returns the exit status; throws UserError.
using Action = std::function<int()>;

// Each adds a command that sets `chosen` when the command line has it.

/// `cavern config {show,diff,drives,list,nand-commands,schema,explain}`.
void add_config_command(CLI::App& app, Action& chosen);
/// `cavern results {list,schema}`: what a run leaves, described.
void add_results_command(CLI::App& app, Action& chosen);
/// `cavern trace {info,convert,generate}`.
void add_trace_command(CLI::App& app, Action& chosen);

/// Lets a command print a text.
void let_print(CLI::App& command, Action& chosen, std::function<std::string()> text);

/// How a table of somebody else's is read as a trace.
void add_columns_option(CLI::App& command, std::string& columns);

} // namespace cavern
