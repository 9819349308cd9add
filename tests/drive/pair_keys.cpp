#include "tests/drive/pair_keys.h"

#include <algorithm>
#include <sstream>

#include "core/base/check.h"
#include "core/base/toml.h"
#include "keys/key_value.h"
#include "tests/support/source_dir.h"

namespace cavern::testing {

namespace {

/// The table that ./cavern soak draws from.
const toml::table& drawn() {
    static const toml::table table =
        toml::parse_file(source_dir() + "/python/cavern/soak/keys.toml");
    return table;
}

/// Rows in the order of their lines: what a row needs stands before it.
std::vector<PairKey> rows_of(const char* name) {
    std::vector<std::pair<std::uint32_t, PairKey>> found;
    for (const auto& [key, node] : *drawn()[name].as_table()) {
        const toml::array& row = *node.as_array();
        PairKey made{std::string(key.str()), row[0].value<std::uint32_t>().value(), {}, {}};
        for (const toml::node& value : *row[1].as_array()) {
            made.values.push_back(value.value<std::string>().value());
        }
        if (row.size() > 2) {
            const std::string setting = row[2].value<std::string>().value();
            const std::size_t value = setting.find('=') + 1;
            std::istringstream words(setting.substr(value));
            for (std::string word; words >> word;) {
                made.with.push_back(setting.substr(0, value) + word);
            }
        }
        found.emplace_back(key.source().begin.line, std::move(made));
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<PairKey> keys;
    for (auto& row : found) {
        keys.push_back(std::move(row.second));
    }
    return keys;
}

bool is_drawn_otherwise(const ConfigKey& key) {
    for (const auto* rows : {drawn()["basic"].as_table(), drawn()["more"].as_table()}) {
        if (rows->contains(key.name)) {
            return true;
        }
    }
    const auto& undrawn = undrawn_keys();
    return std::any_of(undrawn.begin(), undrawn.end(), [&key](const std::string& name) {
        return name.back() == '.' ? key.name.rfind(name, 0) == 0 : key.name == name;
    });
}

} // namespace

std::optional<PairKey> drawn_without_row(const ConfigKey& key) {
    PairKey made{key.name, 50, {}, {}};
    if (key.type == KeyType::kReal) {
        made.values = {bare_text(key, key.real_low), bare_text(key, key.real_high)};
    } else if (key.type == KeyType::kText) {
        return std::nullopt;
    } else if (key.type != KeyType::kFlag && key.words.empty()) {
        made.values = {bare_text(key, key.low), bare_text(key, key.high)};
    }
    const std::string section = section_of(key.name);
    const std::size_t dot = section.find('.');
    for (const ConfigKey& other : config_keys()) {
        const auto& words = other.words;
        if (dot != std::string::npos && section_of(other.name) == section.substr(0, dot) &&
            std::find(words.begin(), words.end(), section.substr(dot + 1)) != words.end()) {
            made.with.push_back(other.name + "=" + section.substr(dot + 1));
        }
    }
    return made;
}

const std::vector<PairKey>& basic_pair_keys() {
    static const std::vector<PairKey> keys = rows_of("basic");
    return keys;
}

const std::vector<PairKey>& pair_keys() {
    static const std::vector<PairKey> keys = [] {
        std::vector<PairKey> rows = rows_of("more");
        for (const ConfigKey& key : config_keys()) {
            auto made = is_drawn_otherwise(key) ? std::nullopt : drawn_without_row(key);
            if (made) {
                rows.push_back(std::move(*made));
            }
        }
        return rows;
    }();
    return keys;
}

const std::vector<std::string>& undrawn_keys() {
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> names;
        for (const auto& [key, reason] : *drawn()["undrawn"].as_table()) {
            names.emplace_back(key.str());
        }
        return names;
    }();
    return keys;
}

std::string draw_setting(const PairKey& key, Random& random) {
    const auto index = find_config_key(key.key);
    CAVERN_CHECK(index.has_value(), key.key + " is drawn and is no key");
    std::vector<std::string> values = key.values;
    if (values.empty()) {
        values = config_keys()[*index].words;
    }
    if (values.empty()) {
        values = {"false", "true"};
    }
    return key.key + "=" + values[random.below(values.size())];
}

} // namespace cavern::testing
