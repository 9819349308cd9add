#pragma once

#include <string>
#include <string_view>

namespace cavern {

// What programs and editors read of the configuration, printed from the tables of the layers.

/// Every key with type, default, unit, range, words, meaning, source and section, and every table
/// of schemes with its rows, as JSON. `section` chooses keys as list_config_keys() does.
[[nodiscard]] std::string config_list_json(std::string_view section = "");

/// The keys as Markdown: a table for each section.
[[nodiscard]] std::string config_list_markdown();

/// A JSON Schema of drive descriptions, for TOML editors such as Taplo.
[[nodiscard]] std::string config_schema();

/// The same of workload files: tables [[job]] and [target].
[[nodiscard]] std::string workload_schema();

/// A JSON Schema of part files of a section, "nand" or "dram". Throws UserError for another.
[[nodiscard]] std::string part_schema(const std::string& section);

/// The table of docs/nand-commands.md: what a die can be asked to do, and the keys for it.
[[nodiscard]] std::string nand_commands_markdown();

} // namespace cavern
