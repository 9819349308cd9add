#include "config/config_file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/file_names.h"
#include "core/base/error.h"
#include "core/base/whole_file.h"
#include "keys/closest_name.h"
#include "keys/key_file.h"

namespace cavern {
namespace {

constexpr std::array<std::string_view, 5> kPartGroups{"geometry", "timing", "bus", "wear",
                                                      "currents"};

[[noreturn]] void no_such_file(const std::filesystem::path& path, const std::string& what,
                               const std::optional<Place>& named_at,
                               const std::string& right = "give the path of a readable TOML file") {
    const Place place = named_at.value_or(Place{path.string(), 1});
    throw UserError(place.file, place.line,
                    named_at ? fmt::format("{}: {}", what, in_quotes(path.string())) : what, right);
}

std::string read_text(const std::filesystem::path& path, const std::optional<Place>& named_at) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        std::string right = instead_of(kDrives, path.string());
        const bool by_name =
            named_at && std::filesystem::path(named_at->file).parent_path() == path.parent_path();
        if (by_name && right.rfind("did you mean", 0) != 0) { // one that comes with Cavern
            right = instead_of(kDrives, path.filename().string());
        }
        no_such_file(path, "no such file", named_at, right);
    }
    if (std::filesystem::is_directory(path, ignored)) {
        no_such_file(path, "this is a directory", named_at);
    }
    WholeFile file = read_whole(path.string(), kMostTextBytes);
    if (!file.readable) {
        no_such_file(path, "the file cannot be read", named_at);
    }
    if (file.too_long) {
        no_such_file(path, fmt::format("the file has more than {}", kMostText), named_at);
    }
    return std::move(file.bytes);
}

std::size_t line_of(const toml::key& key) {
    return key.source().begin.line;
}

std::string part_suggestion(const std::string& word, const std::string& section) {
    std::vector<std::string> known{"name", "source"};
    for (const ConfigKey& row : config_keys()) {
        if (row.part && row.name.compare(0, section.size(), section) == 0) {
            known.push_back(row.name.substr(section.size() + 1));
        }
    }
    const std::string meant = closest_name(word, known);
    return meant.empty() ? fmt::format("a {} part may have {}", section, fmt::join(known, ", "))
                         : fmt::format("did you mean {}?", in_quotes(meant));
}

} // namespace

ConfigFile::ConfigFile(const std::filesystem::path& path, const std::optional<Place>& named_at)
    : name_(path.string()) {
    const std::string text = read_text(path, named_at);
    root_ = std::make_unique<toml::table>(
        parse_toml(text, name_, "words and quantities stand in quotes, such as size = \"16MiB\""));
}

ConfigFile ConfigFile::read_drive(const std::filesystem::path& path,
                                  const std::optional<Place>& named_at) {
    ConfigFile file(path, named_at);
    file.collect_drive(*file.root_, "");
    file.finish();
    return file;
}

ConfigFile ConfigFile::read_part(const std::filesystem::path& path, const std::string& section) {
    ConfigFile file(path, std::nullopt);
    file.collect_part(*file.root_, section, 1);
    file.finish();
    return file;
}

// Tables iterate by name: the first mistake found need not be the first of the file.
bool ConfigFile::is_first(std::size_t line) const {
    return !mistake_ || line < mistake_->line;
}

void ConfigFile::note(std::size_t line, std::string what, std::string right) {
    if (is_first(line)) {
        mistake_ = Mistake{line, std::move(what), std::move(right)};
    }
}

void ConfigFile::collect_drive(const toml::table& table, const std::string& prefix) {
    for (const auto& [toml_key, node] : table) {
        const std::string name = prefix + std::string(toml_key.str());
        const std::size_t line = line_of(toml_key);
        if (name == "extends") {
            extends_ = node.value_exact<std::string>();
            extends_line_ = line;
            if (!extends_) {
                note(line, "extends is no text", "the path of a TOML file in quotes");
            }
        } else if (const auto key = find_config_key(name)) {
            entries_.push_back({*key, &node, line});
        } else if (is_config_section(name)) {
            if (const toml::table* section = node.as_table()) {
                collect_drive(*section, name + ".");
            } else {
                note(line, name + " is a section", fmt::format("write its keys below [{}]", name));
            }
        } else if (is_first(line)) { // what is meant is looked for among all keys
            note(line, fmt::format("unknown key {}", in_quotes(name)), suggest_config_key(name));
        }
    }
}

void ConfigFile::collect_part(const toml::table& table, const std::string& section,
                              std::size_t table_line) {
    const bool top = &table == root_.get();
    bool has_values = false;
    for (const auto& [toml_key, node] : table) {
        const std::string word(toml_key.str());
        const std::size_t line = line_of(toml_key);
        const bool is_group =
            std::find(kPartGroups.begin(), kPartGroups.end(), word) != kPartGroups.end();
        const auto key = find_config_key(section + "." + word);
        if (word == "source" || (top && word == "name")) {
            if (!node.is_string() || node.as_string()->get().empty()) {
                note(line, word + " is no text", "write a text in quotes");
            }
        } else if (top && is_group && node.is_table()) {
            collect_part(*node.as_table(), section, line);
        } else if (key && config_keys()[*key].part) {
            has_values = true;
            const auto same = [&key](const FileEntry& entry) { return entry.key == *key; };
            if (std::any_of(entries_.begin(), entries_.end(), same)) {
                note(line, word + " is given twice", "remove one of the two");
            }
            entries_.push_back({*key, &node, line});
        } else if (key) {
            note(line, fmt::format("{} in a part file", config_keys()[*key].name),
                 "it belongs in the file of a drive");
        } else if (is_first(line)) {
            note(line, fmt::format("unknown key {} in a part file", in_quotes(word)),
                 part_suggestion(word, section));
        }
    }
    if (has_values && !table.contains("source")) {
        note(table_line, "these values have no source",
             "add source = \"data sheet and table, or whose estimate\"");
    }
}

void ConfigFile::finish() {
    if (mistake_) {
        throw UserError(name_, mistake_->line, mistake_->what, mistake_->right);
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
}

} // namespace cavern
