#include "config/config_diff.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/config_keys.h"
#include "config/config_value.h"

namespace cavern {

ConfigDiff::ConfigDiff(const ResolvedConfig& first, const ResolvedConfig& second) {
    const auto text = [](const ResolvedConfig& resolved, std::size_t key) {
        const auto& setting = resolved.settings[key];
        return setting ? value_text(config_keys()[key], setting->value) : std::string();
    };
    for (std::size_t key = 0; key < config_keys().size(); ++key) {
        Row row{config_keys()[key].name, text(first, key), text(second, key)};
        if (row.first != row.second) {
            rows_.push_back(std::move(row));
        }
    }
}

std::string ConfigDiff::text() const {
    if (rows_.empty()) {
        return "no key differs\n";
    }
    const auto or_dash = [](const std::string& value) { return value.empty() ? "-" : value; };
    std::size_t keys = 0;
    std::size_t values = 0;
    for (const Row& row : rows_) {
        keys = std::max(keys, row.key.size());
        values = std::max(values, or_dash(row.first).size());
    }
    std::string text;
    for (const Row& row : rows_) {
        text += fmt::format("{:<{}}  {:<{}}  {}\n", row.key, keys, or_dash(row.first), values,
                            or_dash(row.second));
    }
    return text;
}

std::string ConfigDiff::json() const {
    using Json = nlohmann::ordered_json;
    const auto value = [](const std::string& toml) {
        return toml.empty() ? Json() : Json::parse(toml);
    };
    Json rows = Json::array();
    for (const Row& row : rows_) {
        rows.push_back({{"key", row.key}, {"a", value(row.first)}, {"b", value(row.second)}});
    }
    return rows.dump(2) + "\n";
}

} // namespace cavern
