#include "keys/key_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/toml_depth.h"
#include "keys/closest_name.h"
#include "keys/key_value.h"

namespace cavern {
namespace {

/// A text of another's making, for a message of one line.
std::string printable(std::string_view text) {
    std::string shown(text);
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return shown;
}

std::string last_part(const std::string& name) {
    return name.substr(name.rfind('.') + 1); // npos + 1 is 0
}

std::vector<std::string> last_parts(const Keys& keys) {
    std::vector<std::string> names;
    for (const ConfigKey& key : keys) {
        names.push_back(last_part(key.name));
    }
    return names;
}

} // namespace

toml::table parse_toml(std::string_view text, const std::string& file, const std::string& right) {
    if (const auto line = line_of_deep_key(text)) {
        throw UserError(file, *line, "a key of many parts",
                        fmt::format("a key has at most {} parts", kMostKeyParts));
    }
    try {
        return toml::parse(text, std::string_view(file));
    } catch (const toml::parse_error& error) {
        throw UserError(file, error.source().begin.line,
                        "not TOML: " + printable(error.description()), right);
    }
}

void KeyTable::store(void* holder) const {
    for (const TableEntry& entry : entries) {
        if (entry.key->take == nullptr) {
            assign_field(*entry.key, entry.value, holder);
        } else if (const Refused why = entry.key->take(holder, entry.value)) {
            throw UserError(file, entry.line, entry.key->name + " " + why->what, why->right);
        }
    }
}

std::size_t KeyTable::line_of(std::string_view name) const {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const TableEntry& entry) {
        return entry.key->name == name;
    });
    return found == entries.end() ? 0 : found->line;
}

KeyTable read_table(const toml::table& table, const std::string& file, const Keys& keys,
                    const std::string& place) {
    KeyTable read{file, table.source().begin.line, {}};
    struct Written {
        std::string name;
        const toml::node* node;
        std::size_t line;
    };
    std::vector<Written> entries;
    for (const auto& [name, node] : table) {
        entries.push_back({std::string(name.str()), &node, name.source().begin.line});
    }
    // Tables iterate by name.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Written& a, const Written& b) { return a.line < b.line; });
    const std::string section = keys.front().name.substr(0, keys.front().name.rfind('.') + 1);
    for (const Written& entry : entries) {
        const ConfigKey* key = find_key(keys, section + entry.name);
        if (key == nullptr) {
            const std::vector<std::string> known = last_parts(keys);
            const std::string meant = closest_name(entry.name, known);
            throw UserError(file, entry.line, "unknown key " + in_quotes(entry.name),
                            (meant.empty() ? "" : "did you mean " + in_quotes(meant) + "? ") +
                                fmt::format("{} has the keys {}", place, fmt::join(known, ", ")));
        }
        read.entries.push_back(
            {key, read_value(*key, *entry.node, {file, entry.line}), entry.line});
    }
    for (const ConfigKey& key : keys) {
        if (key.required && read.line_of(key.name) == 0) {
            throw UserError(file, read.line, fmt::format("{} needs {}", place, key.name),
                            accepted_values(key));
        }
    }
    return read;
}

} // namespace cavern
