#include "config/config_keys.h"

#include <algorithm>
#include <unordered_map>

#include "keys/closest_name.h"

namespace cavern {

std::optional<std::size_t> find_config_key(std::string_view name) {
    static const auto index = [] {
        std::unordered_map<std::string, std::size_t> map;
        for (const ConfigKey& key : config_keys()) {
            map.emplace(key.name, map.size());
        }
        return map;
    }();
    const auto found = index.find(std::string(name));
    if (found == index.end()) {
        return std::nullopt;
    }
    return found->second;
}

bool is_config_section(std::string_view name) {
    const std::string prefix = std::string(name) + ".";
    const auto& keys = config_keys();
    return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) {
        return key.name.compare(0, prefix.size(), prefix) == 0;
    });
}

std::string suggest_config_key(std::string_view name, const std::vector<const Keys*>& tables) {
    std::vector<std::string> known{"extends"};
    for (const Keys* keys : tables) {
        for (const ConfigKey& key : *keys) {
            known.push_back(key.name);
            known.push_back(key.name.substr(0, key.name.rfind('.'))); // its section
        }
    }
    const std::string meant = closest_name(name, known);
    const std::string all = "\"cavern config list\" shows all keys";
    return meant.empty() ? all : "did you mean \"" + meant + "\"? " + all;
}

} // namespace cavern
