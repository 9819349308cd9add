#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace cavern {

/// The name by which the program was called: that of an installed package, else of the front door.
[[nodiscard]] std::string called_as(const char* program);

/// Help in the form of the commands that are written in Python.
void set_help_style(CLI::App& app);

/// What is wrong with a command line, and what would be right, in one line.
[[nodiscard]] std::string usage_problem(const CLI::App& app, const CLI::ParseError& error);

} // namespace cavern
