#include "firmware/lookup/host/run_settings.h"

#include <optional>
#include <sstream>
#include <variant>

#include "core/base/error.h"
#include "core/base/toml.h"

namespace cavern::lookup {
namespace {

enum class Kind { kNumber, kTruth, kWord, kLookUp };

using Number = std::uint32_t RunSettings::*;
using SessionNumber = std::uint32_t session_settings::*;
using Word = std::string RunSettings::*;

struct Key {
    const char* name;
    Kind kind;
    std::variant<Number, SessionNumber, Word> place;
};

using S = session_settings;
using R = RunSettings;

const Key kConfigKeys[] = {
    {"look_up", Kind::kLookUp, &S::look_up},
    {"groups", Kind::kNumber, &S::groups},
    {"order", Kind::kNumber, &S::order},
    {"frames", Kind::kNumber, &S::frames},
    {"read_modify_write", Kind::kTruth, &S::read_modify_write},
    {"prewrite_all", Kind::kTruth, &S::prewrite_all},
    {"fill_unwritten", Kind::kTruth, &S::fill_unwritten},
    {"blocks", Kind::kNumber, &S::blocks},
    {"pages_per_block", Kind::kNumber, &S::pages_per_block},
    {"low_watermark", Kind::kNumber, &S::low_watermark},
    {"high_watermark", Kind::kNumber, &S::high_watermark},
    {"warm_up_turns", Kind::kNumber, &S::warm_up_turns},
    {"played_on", Kind::kWord, &R::played_on},
    {"image", Kind::kWord, &R::image},
    {"line_bytes", Kind::kNumber, &R::line_bytes},
    {"cache_bytes", Kind::kNumber, &R::cache_bytes},
    {"line_fill_cycles", Kind::kNumber, &R::line_fill_cycles},
    {"line_write_back_cycles", Kind::kNumber, &R::line_write_back_cycles},
};

const Key kWorkloadKeys[] = {
    {"threads_per_kind", Kind::kNumber, &S::threads_per_kind},
    {"file_pages", Kind::kNumber, &S::file_pages},
    {"page_bytes", Kind::kNumber, &S::page_bytes},
    {"least_bytes", Kind::kNumber, &S::least_bytes},
    {"most_bytes", Kind::kNumber, &S::most_bytes},
    {"turns", Kind::kNumber, &S::turns},
    {"seed", Kind::kNumber, &S::seed},
};

template <std::size_t kCount>
const Key* find(const Key (&keys)[kCount], std::string_view name) {
    for (const Key& key : keys) {
        if (key.name == name) {
            return &key;
        }
    }
    return nullptr;
}

template <std::size_t kCount>
std::string names(const Key (&keys)[kCount]) {
    std::string text;
    for (const Key& key : keys) {
        text += (text.empty() ? "" : ", ") + std::string(key.name);
    }
    return text;
}

std::string look_up_names() {
    std::string text;
    for (std::uint32_t i = 0; i < kLookUpCount; ++i) {
        text += (text.empty() ? "" : ", ") + std::string(kLookUps[i]->name);
    }
    return text;
}

std::uint32_t& number(RunSettings& settings, const Key& key) {
    if (const auto* place = std::get_if<SessionNumber>(&key.place)) {
        return settings.session.**place;
    }
    return settings.*std::get<Number>(key.place);
}

/// Returns what would be right; empty when the value was taken.
std::string take(RunSettings& settings, const Key& key, const toml::node& value) {
    if (key.kind == Kind::kLookUp) {
        const std::optional<std::string> word = value.value_exact<std::string>();
        for (std::uint32_t i = 0; word && i < kLookUpCount; ++i) {
            if (*word == kLookUps[i]->name) {
                number(settings, key) = i;
                return "";
            }
        }
        return "expected one of " + look_up_names();
    }
    if (key.kind == Kind::kWord) {
        const std::optional<std::string> word = value.value_exact<std::string>();
        if (!word) {
            return "expected a word";
        }
        settings.*std::get<Word>(key.place) = *word;
        return "";
    }
    if (key.kind == Kind::kTruth) {
        const std::optional<bool> truth = value.value_exact<bool>();
        if (!truth) {
            return "expected true or false";
        }
        number(settings, key) = *truth ? 1 : 0;
        return "";
    }
    const std::optional<std::int64_t> whole = value.value_exact<std::int64_t>();
    if (!whole || *whole < 0 || *whole > UINT32_MAX) {
        return "expected a whole number from 0 to 4294967295";
    }
    number(settings, key) = static_cast<std::uint32_t>(*whole);
    return "";
}

template <std::size_t kCount>
void read_file(const std::string& path, const Key (&keys)[kCount], RunSettings& settings) {
    toml::table table;
    try {
        table = toml::parse_file(path);
    } catch (const toml::parse_error& error) {
        const std::size_t line = error.source().begin ? error.source().begin.line : 1;
        throw UserError(path, line, std::string(error.description()), "expected key = value");
    }
    for (const auto& [name, value] : table) {
        const std::size_t line = name.source().begin.line;
        const Key* const key = find(keys, name.str());
        if (key == nullptr) {
            throw UserError(path, line, "unknown key \"" + std::string(name.str()) + "\"",
                            "expected one of " + names(keys));
        }
        if (const std::string right = take(settings, *key, value); !right.empty()) {
            throw UserError(path, line, std::string(name.str()) + " has another value", right);
        }
    }
}

void override_one(const std::string& text, std::size_t nth, RunSettings& settings) {
    const char* const place = "<command line>";
    const std::string before = text.substr(0, text.find('='));
    const std::string name = before.substr(0, before.find_last_not_of(' ') + 1);
    const Key* key = find(kConfigKeys, name);
    key = key == nullptr ? find(kWorkloadKeys, name) : key;
    if (key == nullptr || before == text) {
        throw UserError(place, nth, "unknown key \"" + name + "\"",
                        "expected KEY=VALUE with one of " + names(kConfigKeys) + ", " +
                            names(kWorkloadKeys));
    }
    toml::table table;
    try {
        table = toml::parse(text);
    } catch (const toml::parse_error&) {
        table = toml::table{{name, text.substr(before.size() + 1)}}; // a word without quotes
    }
    if (const std::string right = take(settings, *key, *table.get(name)); !right.empty()) {
        throw UserError(place, nth, "\"" + text + "\" has another value", right);
    }
}

} // namespace

RunSettings read_settings(const RunSources& sources) {
    RunSettings settings;
    settings.session = session_defaults();
    settings.session.warm_up_turns = 0;
    settings.session.turns = 15000;
    settings.session.blocks = 131071;
    read_file(sources.config, kConfigKeys, settings);
    if (!sources.workload.empty()) {
        read_file(sources.workload, kWorkloadKeys, settings);
    }
    for (std::size_t i = 0; i < sources.overrides.size(); ++i) {
        override_one(sources.overrides[i], i + 1, settings);
    }
    if (const char* wrong = session_refuses(&settings.session)) {
        throw UserError(sources.config, 1, "settings that do not fit together", wrong);
    }
    const auto power_of_two = [](std::uint32_t n) { return n != 0 && (n & (n - 1)) == 0; };
    const auto on = [&](const char* name) { return settings.played_on == name; };
    if (!on("host") && !on("iss") && !on("rtl") && !on("lockstep")) {
        throw UserError(sources.config, 1, "played_on = \"" + settings.played_on + "\"",
                        "expected host, iss, rtl or lockstep");
    }
    if (!power_of_two(settings.line_bytes) || settings.line_bytes < 4 ||
        !power_of_two(settings.cache_bytes) || settings.cache_bytes < settings.line_bytes) {
        throw UserError(sources.config, 1, "a line cache that cannot be",
                        "expected powers of two, line_bytes 4 or more and up to cache_bytes");
    }
    return settings;
}

std::string settings_toml(const RunSettings& given) {
    RunSettings settings = given;
    std::ostringstream text;
    const auto write = [&](const Key& key) {
        text << key.name << " = ";
        if (key.kind == Kind::kWord) {
            text << toml::value<std::string>(settings.*std::get<Word>(key.place));
        } else if (key.kind == Kind::kLookUp) {
            text << toml::value<std::string>(kLookUps[number(settings, key)]->name);
        } else if (key.kind == Kind::kTruth) {
            text << (number(settings, key) != 0 ? "true" : "false");
        } else {
            text << number(settings, key);
        }
        text << '\n';
    };
    for (const Key& key : kConfigKeys) {
        write(key);
    }
    for (const Key& key : kWorkloadKeys) {
        write(key);
    }
    return text.str();
}

} // namespace cavern::lookup
