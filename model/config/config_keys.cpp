#include "config/config_keys.h"

#include <algorithm>
#include <unordered_map>

#include "config/closest_name.h"
#include "core/base/check.h"

namespace cavern {
namespace {

template <typename T>
[[nodiscard]] const T& value_as(const ConfigKey& key, const ConfigValue& value) {
    const T* held = std::get_if<T>(&value);
    CAVERN_CHECK(held != nullptr, "value of " + key.name + " has the type of its key");
    return *held;
}

/// Position of a word among those of its key.
[[nodiscard]] std::size_t number_of_word(const ConfigKey& key, const std::string& word) {
    const auto found = std::find(key.words.begin(), key.words.end(), word);
    CAVERN_CHECK(found != key.words.end(), word + " is a word of " + key.name);
    return static_cast<std::size_t>(found - key.words.begin());
}

} // namespace

std::string section_of(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::optional<Quantity> quantity_of(KeyType type) {
    switch (type) {
    case KeyType::kTime:
    case KeyType::kTimes:
        return Quantity::kTime;
    case KeyType::kBytes:
        return Quantity::kBytes;
    case KeyType::kRate:
        return Quantity::kBytesPerSecond;
    case KeyType::kHertz:
        return Quantity::kHertz;
    case KeyType::kVolts:
        return Quantity::kVolts;
    case KeyType::kAmperes:
        return Quantity::kAmperes;
    case KeyType::kWatts:
        return Quantity::kWatts;
    case KeyType::kJoules:
        return Quantity::kJoules;
    case KeyType::kFlag:
    case KeyType::kCount:
    case KeyType::kReal:
    case KeyType::kWord:
    case KeyType::kWords:
    case KeyType::kText:
        break;
    }
    return std::nullopt;
}

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

std::string suggest_config_key(std::string_view name) {
    std::vector<std::string> known{"extends"};
    for (const ConfigKey& key : config_keys()) {
        known.push_back(key.name);
        known.push_back(key.name.substr(0, key.name.rfind('.'))); // its section
    }
    const std::string meant = closest_name(name, known);
    const std::string all = "\"cavern config list\" shows all keys";
    return meant.empty() ? all : "did you mean \"" + meant + "\"? " + all;
}

void assign_field(const ConfigKey& key, const ConfigValue& value, SsdConfig& config) {
    const KnobField target = key.field(config);
    const auto number = [&] {
        const std::uint64_t given = value_as<std::uint64_t>(key, value);
        return key.convert == nullptr ? given : key.convert(given);
    };
    if (auto* const* flag = std::get_if<bool*>(&target)) {
        **flag = key.type == KeyType::kWord ? value_as<std::string>(key, value) == key.words.at(1)
                                            : value_as<bool>(key, value);
    } else if (auto* const* small = std::get_if<std::uint32_t*>(&target)) {
        CAVERN_CHECK(number() <= 0xFFFF'FFFFu, "range of " + key.name + " fits its field");
        **small = static_cast<std::uint32_t>(number());
    } else if (auto* const* large = std::get_if<std::uint64_t*>(&target)) {
        **large = number();
    } else if (auto* const* real = std::get_if<double*>(&target)) {
        **real = value_as<double>(key, value);
    } else if (auto* const* text = std::get_if<std::string*>(&target)) {
        const auto& given = value_as<std::string>(key, value);
        **text = given == key.empty_word ? std::string() : given;
    } else if (auto* const* times = std::get_if<std::vector<std::uint64_t>*>(&target)) {
        **times = value_as<std::vector<std::uint64_t>>(key, value);
    } else if (const auto* word = std::get_if<WordField>(&target)) {
        word->set(word->member, number_of_word(key, value_as<std::string>(key, value)));
    } else {
        const auto& list = std::get<WordsField>(target);
        std::vector<std::size_t> numbers;
        for (const std::string& each : value_as<std::vector<std::string>>(key, value)) {
            numbers.push_back(number_of_word(key, each));
        }
        list.set(list.member, numbers);
    }
}

ConfigValue field_value(const ConfigKey& key, const SsdConfig& config) {
    // Fields are bound for writing; nothing is written through this one.
    const KnobField source = key.field(const_cast<SsdConfig&>(config));
    if (const auto* word = std::get_if<WordField>(&source)) {
        return key.words.at(word->get(word->member));
    }
    if (const auto* list = std::get_if<WordsField>(&source)) {
        std::vector<std::string> words;
        for (const std::size_t number : list->get(list->member)) {
            words.push_back(key.words.at(number));
        }
        return words;
    }
    if (auto* const* flag = std::get_if<bool*>(&source)) {
        return key.type == KeyType::kWord ? ConfigValue(key.words.at(**flag ? 1 : 0))
                                          : ConfigValue(**flag);
    }
    if (auto* const* small = std::get_if<std::uint32_t*>(&source)) {
        return std::uint64_t{**small};
    }
    if (auto* const* large = std::get_if<std::uint64_t*>(&source)) {
        return **large;
    }
    if (auto* const* real = std::get_if<double*>(&source)) {
        return **real;
    }
    if (auto* const* text = std::get_if<std::string*>(&source)) {
        return (*text)->empty() ? key.empty_word : **text;
    }
    return *std::get<std::vector<std::uint64_t>*>(source);
}

} // namespace cavern
