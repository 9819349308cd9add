#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/config_keys.h"

namespace cavern {

using Keys = std::vector<ConfigKey>;

/// Accepted words with one sentence each.
struct WordList {
    std::vector<std::string> words;
    std::vector<std::string> meanings;
    std::string text; ///< how to list them in a line, where they are many; else empty
};

/// The names and sentences of a table's rows, so that a new scheme is known as soon as it has its
/// row.
template <typename Rows>
[[nodiscard]] WordList words_of(const Rows& rows) {
    WordList list;
    for (const auto& row : rows) {
        list.words.emplace_back(row.name);
        list.meanings.emplace_back(row.description);
    }
    return list;
}

/// A key under construction. The default is that of the member it is bound to.
class KeyRow {
  public:
    KeyRow(KeyType type, std::string name, std::string meaning) {
        key_.type = type;
        key_.name = std::move(name);
        key_.meaning = std::move(meaning);
        key_.high = largest_of(type);
    }
    /// to(&SsdConfig::nand, &NandConfig::geometry, &Geometry::ways): the way to a member.
    template <typename... Path>
    KeyRow& to(Path... path) {
        key_.field = [=](SsdConfig& config) { return field_of((config.*....*path)); };
        return *this;
    }
    /// A member that points to a row of a table.
    template <auto Table, std::size_t Before = 0, typename... Path>
    KeyRow& to_row(Path... path) {
        key_.field = [=](SsdConfig& config) {
            if constexpr (Before == 0) {
                return row_field<Table>((config.*....*path));
            } else {
                return row_field<Table, Before>((config.*....*path));
            }
        };
        return *this;
    }
    KeyRow& range(std::uint64_t low, std::uint64_t high) {
        key_.low = low;
        key_.high = high;
        return *this;
    }
    KeyRow& at_least(std::uint64_t low) { return range(low, key_.high); }
    KeyRow& within(double low, double high, bool open = false) {
        key_.real_low = low;
        key_.real_high = high;
        key_.open = open;
        return *this;
    }
    /// Words with their sentences, in the order of the values that they set.
    template <typename Words>
    KeyRow& of(const Words& words) {
        for (const KnobWord& word : words) {
            key_.words.emplace_back(word.name);
            key_.word_meanings.emplace_back(word.meaning);
        }
        return *this;
    }
    KeyRow& of(std::initializer_list<KnobWord> words) { return of(std::vector<KnobWord>(words)); }
    KeyRow& of(WordList list) {
        key_.words = std::move(list.words);
        key_.word_meanings = std::move(list.meanings);
        key_.words_text = std::move(list.text);
        return *this;
    }
    KeyRow& from(std::string source) {
        key_.source = std::move(source);
        return *this;
    }
    /// A part file may give it. It has no default, unless it is `with_default`.
    KeyRow& part() {
        key_.part = true;
        key_.has_default = false;
        return *this;
    }
    KeyRow& part_with_default() {
        key_.part = true;
        return *this;
    }
    KeyRow& optional() {
        key_.optional = true;
        key_.has_default = false;
        return *this;
    }
    KeyRow& names_file() {
        key_.names_file = true;
        return *this;
    }
    KeyRow& stored_as_none(std::string word) {
        key_.empty_word = std::move(word);
        return *this;
    }
    /// Beside the range: a word for 0.
    KeyRow& stored_as_zero(std::string word) {
        key_.zero_word = std::move(word);
        return *this;
    }
    KeyRow& instead_of(std::string other, std::uint64_t (*convert)(std::uint64_t)) {
        key_.excludes = std::move(other);
        key_.convert = convert;
        return optional().part();
    }
    operator ConfigKey() const { return key_; }

  private:
    ConfigKey key_;
};

/// The key of a knob, whose struct `params` gives.
[[nodiscard]] ConfigKey key_of(const Knob& knob, const std::string& prefix,
                               std::function<void*(SsdConfig&)> params);

/// The keys SECTION.ROW.KNOB of a table whose parameters lie at `params`.
template <typename Row, typename Section>
[[nodiscard]] Keys knob_keys(const std::string& section, const std::vector<Row>& table,
                             Section SsdConfig::*of_config, ParamsOf<Row> Section::*params) {
    Keys keys;
    for (const Row& row : table) {
        for (const Knob& knob : row.knobs) {
            keys.push_back(
                key_of(knob, section + "." + std::string(row.name), [=, &row](SsdConfig& config) {
                    return row.knobs.address((config.*of_config.*params)[row]);
                }));
        }
    }
    return keys;
}

/// All keys of these lists.
[[nodiscard]] Keys joined(std::initializer_list<Keys> lists);

// The sections, in the order in which they are listed.
[[nodiscard]] Keys run_keys();
[[nodiscard]] Keys host_keys();
[[nodiscard]] Keys dram_keys();
[[nodiscard]] Keys dram_current_keys();
[[nodiscard]] Keys buffer_keys();
[[nodiscard]] Keys alloc_keys();
[[nodiscard]] Keys ftl_keys();
[[nodiscard]] Keys nand_keys();
[[nodiscard]] Keys nand_current_keys();
[[nodiscard]] Keys channel_keys();
[[nodiscard]] Keys ecc_keys();
[[nodiscard]] Keys cpu_keys();
[[nodiscard]] Keys controller_keys();
[[nodiscard]] Keys workload_keys();
[[nodiscard]] Keys data_keys();
[[nodiscard]] Keys power_loss_keys();

} // namespace cavern
