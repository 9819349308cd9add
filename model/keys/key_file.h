#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/toml.h"
#include "keys/config_key.h"

namespace cavern {

/// `text` of `file`, parsed. Throws UserError where it is no TOML, with what is `right` there.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& file,
                                     const std::string& right);

/// A value of a table, checked.
struct TableEntry {
    const ConfigKey* key;
    ConfigValue value;
    std::size_t line;
};

/// A table of a file, whose keys are all known.
struct KeyTable {
    std::string file;
    std::size_t line = 1;
    std::vector<TableEntry> entries; ///< in the order of the file

    /// Gives `holder`, the struct of the keys, its values. Throws UserError at what it refuses.
    void store(void* holder) const;
    /// The line of a key, or 0: it is not given.
    [[nodiscard]] std::size_t line_of(std::string_view name) const;
};

/// Reads a table, whose name stands before its keys; `place` names it in messages: "a job". Throws
/// UserError at the first mistake of the file.
[[nodiscard]] KeyTable read_table(const toml::table& table, const std::string& file,
                                  const Keys& keys, const std::string& place);

} // namespace cavern
