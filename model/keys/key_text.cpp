#include "keys/key_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "keys/key_value.h"
#include "keys/text_width.h"

namespace cavern {
namespace {

// Where list_keys() has the meaning: behind the default, or below on a narrow terminal.
constexpr std::size_t kMeaningColumn = 70;
constexpr std::size_t kNarrowestMeaning = 40;
constexpr std::size_t kMeaningBelow = 4;

} // namespace

std::string default_text(const ConfigKey& key) {
    return !key.fallback.empty() ? key.fallback
           : key.part            ? "of the part"
           : key.required        ? "required"
                                 : "-";
}

std::string list_keys(const std::vector<const ConfigKey*>& keys, std::size_t width) {
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
    for (const ConfigKey* key : keys) {
        text += line(key->name, row_of(key->type).shown, default_text(*key), key->meaning);
    }
    return text;
}

std::string explain_key(const ConfigKey& key) {
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

} // namespace cavern
