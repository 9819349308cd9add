#include "config/config_show.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "config/config_value.h"
#include "config/text_width.h"
#include "core/base/error.h"

namespace cavern {
namespace {

std::string leaf_of(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
}

std::string origin_text(const SettingOrigin& origin) {
    const std::filesystem::path file(origin.file);
    switch (origin.layer) {
    case Layer::kDefault:
        return "default";
    case Layer::kPart:
        // Without the folder of the installation, so that results of two machines compare.
        return fmt::format("part {}:{}",
                           (file.parent_path().filename() / file.filename()).generic_string(),
                           origin.line);
    case Layer::kFile:
        return fmt::format("{}:{}", origin.file, origin.line);
    case Layer::kCommandLine:
        break;
    }
    return "--set";
}

// Where list_config_keys() has the meaning: behind the default, or below on a narrow terminal.
constexpr std::size_t kMeaningColumn = 70;
constexpr std::size_t kNarrowestMeaning = 40;
constexpr std::size_t kMeaningBelow = 4;

/// What a key accepts, in a word or two.
std::string short_type(const ConfigKey& key) {
    switch (key.type) {
    case KeyType::kFlag:
        return "true, false";
    case KeyType::kCount:
        return "whole number";
    case KeyType::kReal:
        return "number";
    case KeyType::kTime:
        return "time";
    case KeyType::kTimes:
        return "time(s)";
    case KeyType::kBytes:
        return "size";
    case KeyType::kRate:
        return "rate";
    case KeyType::kHertz:
        return "frequency";
    case KeyType::kVolts:
        return "voltage";
    case KeyType::kAmperes:
        return "current";
    case KeyType::kWatts:
        return "power";
    case KeyType::kJoules:
        return "energy";
    case KeyType::kWord:
        return "word";
    case KeyType::kWords:
        return "word(s)";
    case KeyType::kText:
        break;
    }
    return "text";
}

std::string default_text(const ConfigKey& key) {
    return !key.fallback.empty() ? key.fallback : key.part ? "of the part" : "-";
}

} // namespace

std::string config_to_toml(const ResolvedConfig& resolved, bool origins) {
    struct Line {
        std::string text;
        std::string origin;
    };
    std::vector<Line> lines;
    std::string section;
    for (std::size_t i = 0; i < resolved.settings.size(); ++i) {
        const ConfigKey& key = config_keys()[i];
        if (!resolved.settings[i]) {
            continue;
        }
        if (section_of(key.name) != section) {
            section = section_of(key.name);
            lines.push_back({"", ""});
            lines.push_back({"[" + section + "]", ""});
        }
        lines.push_back({leaf_of(key.name) + " = " + value_text(key, resolved.settings[i]->value),
                         origin_text(resolved.settings[i]->origin)});
    }
    std::size_t width = 0;
    for (const Line& line : lines) {
        width = std::max(width, line.text.size());
    }
    std::string text = origins ? fmt::format("# {}\n", capacity_text(resolved.config)) : "";
    for (const Line& line : lines) {
        text += origins && !line.origin.empty()
                    ? fmt::format("{:<{}}  # {}\n", line.text, width, line.origin)
                    : line.text + "\n";
    }
    return text;
}

std::string capacity_text(const DrivePlan& plan) {
    const Geometry& nand = plan.nand.geometry;
    return fmt::format("{} for the host, {} of NAND", size_text(plan.host_bytes()),
                       size_text(nand.pages() * nand.page_bytes));
}

std::vector<std::pair<std::string, std::string>> config_values(const ResolvedConfig& resolved) {
    std::vector<std::pair<std::string, std::string>> values;
    for (std::size_t i = 0; i < resolved.settings.size(); ++i) {
        if (resolved.settings[i]) {
            const ConfigKey& key = config_keys()[i];
            values.emplace_back(key.name, value_text(key, resolved.settings[i]->value));
        }
    }
    return values;
}

nlohmann::ordered_json config_json(const ResolvedConfig& resolved) {
    using Json = nlohmann::ordered_json;
    Json config = Json::object();
    for (const auto& [name, text] : config_values(resolved)) {
        std::string pointer = "/" + name;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        config[Json::json_pointer(pointer)] = Json::parse(text);
    }
    return config;
}

std::string bare_value(const ResolvedConfig& resolved, std::string_view key) {
    const std::size_t index = find_config_key(key).value();
    const std::optional<Setting>& setting = resolved.settings[index];
    return setting ? bare_text(config_keys()[index], setting->value) : std::string();
}

std::string_view type_name(KeyType type) {
    switch (type) {
    case KeyType::kFlag:
        return "flag";
    case KeyType::kCount:
        return "count";
    case KeyType::kReal:
        return "real";
    case KeyType::kTime:
        return "time";
    case KeyType::kTimes:
        return "times";
    case KeyType::kBytes:
        return "bytes";
    case KeyType::kRate:
        return "rate";
    case KeyType::kHertz:
        return "hertz";
    case KeyType::kVolts:
        return "volts";
    case KeyType::kAmperes:
        return "amperes";
    case KeyType::kWatts:
        return "watts";
    case KeyType::kJoules:
        return "joules";
    case KeyType::kWord:
        return "word";
    case KeyType::kWords:
        return "words";
    case KeyType::kText:
        break;
    }
    return "text";
}

std::vector<const ConfigKey*> keys_of_section(std::string_view section) {
    const std::string prefix = std::string(section) + ".";
    std::vector<const ConfigKey*> keys;
    for (const ConfigKey& key : config_keys()) {
        if (section.empty() || key.name == section ||
            key.name.compare(0, prefix.size(), prefix) == 0) {
            keys.push_back(&key);
        }
    }
    if (keys.empty()) {
        throw UserError("<command line>", 1, fmt::format("unknown section {}", in_quotes(section)),
                        suggest_config_key(section));
    }
    return keys;
}

std::string list_config_keys(std::string_view section, std::size_t width) {
    const bool beside = width == 0 || width >= kMeaningColumn + kNarrowestMeaning;
    const std::size_t margin = beside ? kMeaningColumn : kMeaningBelow;
    const auto line = [&](std::string_view key, std::string_view type, std::string_view fallback,
                          const std::string& meaning) {
        const std::string begin = fmt::format("{:<29} {:<13} {:<25}", key, type, fallback);
        const std::string said = indented(meaning, margin, width == 0 ? std::string::npos : width);
        return beside ? begin + said.substr(std::min(begin.size(), margin - 1))
                      : begin + "\n" + said;
    };
    std::string text = line("key", "type", "default", "meaning");
    for (const ConfigKey* key : keys_of_section(section)) {
        text += line(key->name, short_type(*key), default_text(*key), key->meaning);
    }
    return text;
}

std::string explain_config_key(std::string_view name, std::size_t width) {
    const auto index = find_config_key(name);
    if (!index) {
        const std::string section = std::string(name) + ".";
        for (const ConfigKey& key : config_keys()) {
            if (key.name.compare(0, section.size(), section) == 0) {
                return list_config_keys(name, width);
            }
        }
        throw UserError("<command line>", 1, fmt::format("unknown key {}", in_quotes(name)),
                        suggest_config_key(name));
    }
    const ConfigKey& key = config_keys()[*index];
    std::string text =
        fmt::format("{}: {}\n  accepts  {}\n", key.name, key.meaning, accepted_values(key));
    for (std::size_t i = 0; i < key.word_meanings.size(); ++i) {
        if (key.words_text.find(key.words[i]) != std::string::npos || key.words_text.empty()) {
            text += fmt::format("           {}: {}\n", key.words[i], key.word_meanings[i]);
        }
    }
    text += fmt::format("  default  {}\n", default_text(key));
    if (!key.source.empty()) {
        text += fmt::format("  source   {}\n", key.source);
    }
    if (!key.excludes.empty()) {
        text += fmt::format("  instead  {} says the same\n", key.excludes);
    }
    return text;
}

std::vector<std::string> notes_on_defaults(const ResolvedConfig& resolved) {
    const auto types = resolved.config.nand.timing.page_types();
    const bool extends =
        std::any_of(resolved.files.begin(), resolved.files.end(),
                    [](const ConfigInput& file) { return file.name == "extends"; });
    if (types < 2 || extends) {
        return {};
    }
    std::vector<std::string> old;
    for (const char* name : {"ftl.unit", "ftl.gc_pace", "buffer.eviction"}) {
        const auto key = find_config_key(name);
        const auto& setting = resolved.settings[key.value()];
        if (setting && setting->origin.layer == Layer::kDefault) {
            old.emplace_back(name);
        }
    }
    if (old.empty()) {
        return {};
    }
    return {
        fmt::format("The NAND has {} bits a cell, and the drive has defaults of an SLC drive of "
                    "2011: {}. extends = \"tlc-modern.toml\" gives those of today.",
                    types, fmt::join(old, ", "))};
}

} // namespace cavern
