#include "keys/config_key.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "keys/key_value.h"

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

const TypeRow& row_of(KeyType type) {
    static constexpr std::array kRows{TypeRow{"flag", "true, false"},
                                      TypeRow{"count", "whole number"},
                                      TypeRow{"real", "number"},
                                      TypeRow{"time", "time", Quantity::kTime},
                                      TypeRow{"times", "time(s)", Quantity::kTime},
                                      TypeRow{"bytes", "size", Quantity::kBytes},
                                      TypeRow{"rate", "rate", Quantity::kBytesPerSecond},
                                      TypeRow{"hertz", "frequency", Quantity::kHertz},
                                      TypeRow{"volts", "voltage", Quantity::kVolts},
                                      TypeRow{"amperes", "current", Quantity::kAmperes},
                                      TypeRow{"watts", "power", Quantity::kWatts},
                                      TypeRow{"joules", "energy", Quantity::kJoules},
                                      TypeRow{"word", "word"},
                                      TypeRow{"words", "word(s)"},
                                      TypeRow{"text", "text"}};
    return kRows.at(static_cast<std::size_t>(type));
}

void assign_field(const ConfigKey& key, const ConfigValue& value, void* holder) {
    const KnobField target = key.field(holder);
    const auto number = [&] {
        const std::uint64_t given = value_as<std::uint64_t>(key, value);
        return key.convert == nullptr ? given : key.convert(given);
    };
    if (auto* const* flag = std::get_if<bool*>(&target)) {
        **flag = key.type == KeyType::kWord ? value_as<std::string>(key, value) == key.words.at(1)
                                            : value_as<bool>(key, value);
    } else if (auto* const* small = std::get_if<std::uint32_t*>(&target)) {
        if (key.type == KeyType::kFlag) {
            **small = value_as<bool>(key, value) ? 1 : 0;
            return;
        }
        if (key.type == KeyType::kWord) {
            **small =
                static_cast<std::uint32_t>(number_of_word(key, value_as<std::string>(key, value)));
            return;
        }
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

ConfigValue field_value(const ConfigKey& key, const void* holder) {
    // Fields are bound for writing; nothing is written through this one.
    const KnobField source = key.field(const_cast<void*>(holder));
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
        return key.type == KeyType::kFlag   ? ConfigValue(**small != 0)
               : key.type == KeyType::kWord ? ConfigValue(key.words.at(**small))
                                            : ConfigValue(std::uint64_t{**small});
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

Keys with_defaults(Keys keys, const void* fresh) {
    for (ConfigKey& key : keys) {
        if (key.has_default) {
            key.fallback = bare_text(key, field_value(key, fresh));
        }
    }
    return keys;
}

const ConfigKey* find_key(const Keys& keys, std::string_view name) {
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](const ConfigKey& key) { return key.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

} // namespace cavern
