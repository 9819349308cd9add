#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/scheme.h"
#include "keys/config_key.h"

namespace cavern {

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

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

/// A key under construction. The default is that of the member it is bound to.
class KeyRow {
  public:
    KeyRow(KeyType type, std::string name, std::string meaning) {
        key_.type = type;
        key_.name = std::move(name);
        key_.meaning = std::move(meaning);
        key_.high = largest_of(type);
    }
    /// to(&SsdConfig::nand, &NandConfig::geometry, &Geometry::ways): the way to a member. What may
    /// be absent has no default.
    template <typename Holder, typename First, typename... Path>
    KeyRow& to(First Holder::*first, Path... path) {
        using Member = std::decay_t<decltype(((std::declval<Holder&>().*first).*....*path))>;
        key_.has_default = key_.has_default && !IsOptional<Member>::value;
        key_.field = [=](void* holder) {
            auto& member = ((static_cast<Holder*>(holder)->*first).*....*path);
            if constexpr (IsOptional<Member>::value) {
                return field_of(member ? *member : member.emplace());
            } else {
                return field_of(member);
            }
        };
        return *this;
    }
    /// A member that points to a row of a table.
    template <auto Table, std::size_t Before = 0, typename Holder, typename First, typename... Path>
    KeyRow& to_row(First Holder::*first, Path... path) {
        key_.field = [=](void* holder) {
            auto& member = ((static_cast<Holder*>(holder)->*first).*....*path);
            if constexpr (Before == 0) {
                return row_field<Table>(member);
            } else {
                return row_field<Table, Before>(member);
            }
        };
        return *this;
    }
    /// Where a value is more than a member: what it does to the struct, or why it may not be. The
    /// reason continues the name of the key.
    template <typename Holder, typename Value>
    KeyRow& taken(Refused (*take)(Holder&, const Value&)) {
        key_.take = [take](void* holder, const ConfigValue& value) {
            return take(*static_cast<Holder*>(holder), std::get<Value>(value));
        };
        return optional();
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
    KeyRow& required() {
        key_.required = true;
        return optional();
    }
    /// Of a key that has no member, or one without a value: what it says where nobody gives it.
    KeyRow& otherwise(std::string fallback) {
        key_.fallback = std::move(fallback);
        return *this;
    }
    /// Of a text with rules of its own: what it may be.
    KeyRow& written(std::string text) {
        key_.words_text = std::move(text);
        return *this;
    }
    /// A size may be a whole number of bytes.
    KeyRow& or_bare() {
        key_.bare = true;
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

} // namespace cavern
