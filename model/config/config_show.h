#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "config/drive_plan.h"
#include "config/resolved_config.h"

namespace cavern {

/// The resolved configuration as TOML that load_config reads back as the same, needing no other
/// file. With `origins`, each line says in a comment where its value came from.
[[nodiscard]] std::string config_to_toml(const ResolvedConfig& resolved, bool origins = true);

/// "29.76 GiB for the host, 32 GiB of NAND"
[[nodiscard]] std::string capacity_text(const DrivePlan& plan);

/// Dotted names and values of a resolved configuration, in the order of the table. A value is text
/// that is valid both as TOML and as JSON.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
config_values(const ResolvedConfig& resolved);

/// The same as one JSON object, sections nested.
[[nodiscard]] nlohmann::ordered_json config_json(const ResolvedConfig& resolved);

/// The value of a key, a text without its quotes; empty: it has none.
[[nodiscard]] std::string bare_value(const ResolvedConfig& resolved, std::string_view key);

/// The tables of keys: of a drive, and of [[job]] and [target] of a workload file.
[[nodiscard]] const std::vector<const Keys*>& all_keys();

/// The keys of a section such as "buffer" or "buffer.cave", or one key; empty: all of a drive. The
/// sections "job" and "target" are those of workload files. Throws UserError for an unknown one.
[[nodiscard]] std::vector<const ConfigKey*> keys_of_section(std::string_view section);

/// These keys, one line each; `width` as in list_keys().
[[nodiscard]] std::string list_config_keys(std::string_view section = "", std::size_t width = 0);

/// All that is known of one key, or the list of a section. Throws UserError for an unknown name.
[[nodiscard]] std::string explain_config_key(std::string_view name, std::size_t width = 0);

/// Where a drive of MLC, TLC or QLC has defaults that are those of an SLC drive of 2011, because
/// its file neither extends another nor gives them: one sentence for the warnings of a run.
[[nodiscard]] std::vector<std::string> notes_on_defaults(const ResolvedConfig& resolved);

/// The keys that two drives differ in, with the values of both.
class ConfigDiff {
  public:
    ConfigDiff(const ResolvedConfig& first, const ResolvedConfig& second);
    /// A line per key; a line that says so where there is none.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;

  private:
    struct Row {
        std::string key;
        std::string first; ///< as TOML; empty: not given
        std::string second;
    };

    std::vector<Row> rows_;
};

/// What follows from a configuration and is no key of it, a line each: name, value, what it is.
[[nodiscard]] std::string derived_text(const DrivePlan& plan);

/// The same as one JSON object, names and values.
[[nodiscard]] nlohmann::ordered_json derived_json(const DrivePlan& plan);

} // namespace cavern
