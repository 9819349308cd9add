#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/knob.h"
#include "core/base/refusal.h"
#include "core/base/units.h"

namespace cavern {

using KeyType = KnobKind;

/// "nand" of "nand.channels"; empty for a key without a section.
[[nodiscard]] std::string section_of(const std::string& name);

struct TypeRow {
    std::string_view name;  ///< for programs: "count", "time", "word" ...
    std::string_view shown; ///< for people, in a word or two
    std::optional<Quantity> quantity{};
};
[[nodiscard]] const TypeRow& row_of(KeyType type);

/// The quantity whose units a type accepts, if it is one.
[[nodiscard]] inline std::optional<Quantity> quantity_of(KeyType type) {
    return row_of(type).quantity;
}

/// Value of a key in base units (ps, bytes, bytes or hertz per second). The alternative follows
/// from the type: bool, whole number, real, text, list of times, list of words.
using ConfigValue = std::variant<bool, std::uint64_t, double, std::string,
                                 std::vector<std::uint64_t>, std::vector<std::string>>;

/// One key of a TOML file. Everything that reads, prints or explains such a file works from these.
struct ConfigKey {
    std::string name; ///< dotted: "buffer.size"
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
    std::string words_text; ///< how to list the words, where they are many; what a text may be

    /// Where the value goes, in the struct that is given.
    std::function<KnobField(void*)> field;
    /// Instead: what it does to that struct, or why it may not be.
    std::function<Refused(void*, const ConfigValue&)> take;
    /// From the value's base unit to the field's, where they differ.
    std::uint64_t (*convert)(std::uint64_t) = nullptr;

    bool part = false;       ///< a part file may give it
    bool optional = false;   ///< may be absent altogether
    bool required = false;   ///< a table without it is wrong
    bool bare = false;       ///< of a size: may be a number of bytes
    bool names_file = false; ///< of a text: the path of a file that the run reads
    std::string empty_word;  ///< of a text: the word that is stored as no text
    std::string zero_word;   ///< of a quantity: the word that is stored as 0
    std::string excludes;    ///< another key that says the same in another unit
};

using Keys = std::vector<ConfigKey>;

/// Writes a value into the struct of its key. A flag field bound to a word key means its second
/// word.
void assign_field(const ConfigKey& key, const ConfigValue& value, void* holder);

/// The value that the struct holds for a key whose unit is that of its field.
[[nodiscard]] ConfigValue field_value(const ConfigKey& key, const void* holder);

/// `keys` with the defaults that a fresh struct has for them.
[[nodiscard]] Keys with_defaults(Keys keys, const void* fresh);

/// The key of that name, or null.
[[nodiscard]] const ConfigKey* find_key(const Keys& keys, std::string_view name);

} // namespace cavern
