#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "core/base/knob.h"
#include "core/base/units.h"

namespace cavern {

using KeyType = KnobKind;

/// "nand" of "nand.channels"; empty for a key without a section.
[[nodiscard]] std::string section_of(const std::string& name);

/// The quantity whose units a type accepts, if it is one.
[[nodiscard]] std::optional<Quantity> quantity_of(KeyType type);

/// Value of a key in base units (ps, bytes, bytes or hertz per second). The alternative follows
/// from the type: bool, whole number, real, text, list of times, list of words.
using ConfigValue = std::variant<bool, std::uint64_t, double, std::string,
                                 std::vector<std::uint64_t>, std::vector<std::string>>;

/// One configuration key. Everything that reads, prints or explains a configuration works from
/// these.
struct ConfigKey {
    std::string name; ///< dotted
    KeyType type = KeyType::kText;
    std::string fallback;    ///< default, written as after --set; empty: none
    bool has_default = true; ///< that of the member
    std::string meaning;     ///< one sentence
    std::string source;      ///< where the default comes from, if it is a fact

    /// Whole numbers and quantities: smallest and largest value, in base units.
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    /// Reals: the bounds; `open` excludes both.
    double real_low = 0.0;
    double real_high = 0.0;
    bool open = false;

    std::vector<std::string> words;         ///< accepted
    std::vector<std::string> word_meanings; ///< of each word, or empty
    std::string words_text;                 ///< how to list the words, where they are many

    /// Where the value goes.
    std::function<KnobField(SsdConfig&)> field;
    /// From the value's base unit to the field's, where they differ.
    std::uint64_t (*convert)(std::uint64_t) = nullptr;

    bool part = false;       ///< a part file may give it
    bool optional = false;   ///< may be absent altogether
    bool names_file = false; ///< of a text: the path of a file that the run reads
    std::string empty_word;  ///< of a text: the word that is stored as no text
    std::string zero_word;   ///< of a quantity: the word that is stored as 0
    std::string excludes;    ///< another key that says the same in another unit
};

/// All keys, in the order in which they are listed and printed.
[[nodiscard]] const std::vector<ConfigKey>& config_keys();

/// Index of a key in config_keys(), or nothing.
[[nodiscard]] std::optional<std::size_t> find_config_key(std::string_view name);

/// Whether the name is that of a table that holds keys, such as "buffer" or "buffer.cave".
[[nodiscard]] bool is_config_section(std::string_view name);

/// What to say to the user of an unknown key: the nearest known one, if any, and where all are
/// listed.
[[nodiscard]] std::string suggest_config_key(std::string_view name);

/// Writes a value into the structure. A flag field bound to a word key means its second word.
void assign_field(const ConfigKey& key, const ConfigValue& value, SsdConfig& config);

/// The value that the structure holds for a key whose unit is that of its field.
[[nodiscard]] ConfigValue field_value(const ConfigKey& key, const SsdConfig& config);

} // namespace cavern
