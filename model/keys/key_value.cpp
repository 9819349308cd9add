#include "keys/key_value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/toml_depth.h"
#include "keys/closest_name.h"

namespace cavern {
namespace {

/// One key being read at one place; every complaint names both.
class ValueReader {
  public:
    ValueReader(const ConfigKey& key, const Place& place) : key_(key), place_(place) {}

    [[nodiscard]] ConfigValue read(const toml::node& node) const {
        if (quantity_of(key_.type) && key_.type != KeyType::kTimes) {
            return quantity(node);
        }
        switch (key_.type) {
        case KeyType::kFlag:
            return expect(node.value_exact<bool>(), node);
        case KeyType::kCount:
            return count(node);
        case KeyType::kReal:
            return real(node);
        case KeyType::kTimes:
            return list<std::uint64_t>(node, [&](const toml::node& n) { return quantity(n); });
        case KeyType::kWord:
            return word(node);
        case KeyType::kWords:
            return words(node);
        default:
            return text(node);
        }
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { fail(what, accepted_values(key_)); }
    [[noreturn]] void fail(const std::string& what, const std::string& right) const {
        throw UserError(place_.file, place_.line, what, right);
    }
    [[noreturn]] void wrong_type(const toml::node& node) const {
        fail(fmt::format("{} is {}", key_.name, type_name(node)));
    }

    static std::string_view type_name(const toml::node& node) {
        switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "a list";
        case toml::node_type::string:
            return "a text";
        case toml::node_type::integer:
            return "a whole number";
        case toml::node_type::floating_point:
            return "a number with a fraction";
        case toml::node_type::boolean:
            return "true or false";
        default:
            return "a date or time of day";
        }
    }

    template <typename V>
    [[nodiscard]] V expect(std::optional<V> value, const toml::node& node) const {
        if (!value) {
            wrong_type(node);
        }
        return *std::move(value);
    }

    [[nodiscard]] std::uint64_t count(const toml::node& node) const {
        if (const auto number = node.value_exact<double>()) { // 1e3
            constexpr double kExact = std::uint64_t{1} << 53;
            if (*number != std::floor(*number)) { // NaN, too
                wrong_type(node);
            }
            const std::string shown = fmt::format("{}", *number);
            return *number >= 0 && *number <= kExact
                       ? in_range(static_cast<std::uint64_t>(*number), shown)
                       : out_of_range(shown);
        }
        const auto given = expect(node.value_exact<std::int64_t>(), node);
        return given < 0 ? out_of_range(std::to_string(given))
                         : in_range(static_cast<std::uint64_t>(given), std::to_string(given));
    }

    [[nodiscard]] double real(const toml::node& node) const {
        if (!node.is_number()) {
            wrong_type(node);
        }
        const double given = expect(node.value<double>(), node);
        const bool inside =
            key_.open ? given > key_.real_low && given < key_.real_high
                      : given >= key_.real_low && given <= key_.real_high; // false for NaN
        if (!inside) {
            out_of_range(fmt::format("{}", given));
        }
        return given;
    }

    [[nodiscard]] std::uint64_t quantity(const toml::node& node) const {
        if (key_.bare && node.is_integer()) {
            return count(node);
        }
        if (node.is_number()) {
            fail(fmt::format("{} has no unit", key_.name));
        }
        const auto given = expect(node.value_exact<std::string>(), node);
        if (!key_.zero_word.empty() && given == key_.zero_word) {
            return 0;
        }
        const auto value = parse_quantity(given, *quantity_of(key_.type));
        if (!value) {
            const bool bare =
                !given.empty() && given.find_first_not_of("0123456789.") == std::string::npos;
            fail(bare ? fmt::format("{} = {} has no unit", key_.name, in_quotes(given))
                      : fmt::format("{} = {} cannot be read", key_.name, in_quotes(given)));
        }
        return in_range(*value, in_quotes(given));
    }

    [[nodiscard]] std::uint64_t in_range(std::uint64_t value, const std::string& shown) const {
        return value < key_.low || value > key_.high ? out_of_range(shown) : value;
    }
    [[noreturn]] std::uint64_t out_of_range(const std::string& shown) const {
        fail(fmt::format("{} = {} is out of range", key_.name, shown));
    }

    /// One element, or a list of at least one.
    template <typename V, typename ReadOne>
    [[nodiscard]] std::vector<V> list(const toml::node& node, ReadOne read_one) const {
        std::vector<V> values;
        const toml::array* array = node.as_array();
        if (array == nullptr) {
            values.push_back(read_one(node));
            return values;
        }
        if (array->empty()) {
            fail(fmt::format("{} is an empty list", key_.name));
        }
        for (const toml::node& element : *array) {
            values.push_back(read_one(element));
        }
        return values;
    }

    [[nodiscard]] std::string word(const toml::node& node) const {
        auto given = expect(node.value_exact<std::string>(), node);
        if (std::find(key_.words.begin(), key_.words.end(), given) != key_.words.end()) {
            return given;
        }
        const std::string meant = closest_name(given, key_.words);
        fail(fmt::format("{} = {} is unknown", key_.name, in_quotes(given)),
             meant.empty()
                 ? accepted_values(key_)
                 : fmt::format("did you mean {}? {}", in_quotes(meant), accepted_values(key_)));
    }

    [[nodiscard]] std::vector<std::string> words(const toml::node& node) const {
        auto given = list<std::string>(node, [&](const toml::node& n) { return word(n); });
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (std::count(given.begin(), given.end(), given[i]) > 1) {
                fail(fmt::format("{} names {} twice", key_.name, in_quotes(given[i])));
            }
        }
        return given;
    }

    [[nodiscard]] std::string text(const toml::node& node) const {
        if (const auto number = node.value_exact<std::int64_t>()) {
            return std::to_string(*number); // device = 1
        }
        auto given = expect(node.value_exact<std::string>(), node);
        if (given.empty()) {
            fail(fmt::format("{} is empty", key_.name));
        }
        return given;
    }

    const ConfigKey& key_;
    const Place& place_;
};

/// TOML and JSON both tell a real from a whole number by its point or exponent.
std::string real_text(double value) {
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string accepted_values(const ConfigKey& key) {
    const auto words = [&] {
        return key.words_text.empty() ? fmt::format("{}", fmt::join(key.words, ", "))
                                      : key.words_text;
    };
    if (const auto quantity = quantity_of(key.type)) {
        return fmt::format(
            "{}{}{}{}, from {} to {}", key.zero_word.empty() ? "" : key.zero_word + ", or ",
            accepted_units(*quantity), key.type == KeyType::kTimes ? " or a list of such" : "",
            key.bare ? ", or a number of bytes" : "", format_quantity(key.low, *quantity),
            format_quantity(key.high, *quantity));
    }
    switch (key.type) {
    case KeyType::kFlag:
        return "true or false";
    case KeyType::kCount:
        return fmt::format("a whole number from {} to {}", key.low, key.high);
    case KeyType::kReal:
        return fmt::format(key.open ? "a number above {} and below {}" : "a number from {} to {}",
                           key.real_low, key.real_high);
    case KeyType::kWord:
        return "available: " + words();
    case KeyType::kWords:
        return "available, alone or in a list: " + words();
    default:
        return key.words_text.empty() ? "a text in quotes" : key.words_text;
    }
}

ConfigValue read_value(const ConfigKey& key, const toml::node& node, const Place& place) {
    return ValueReader(key, place).read(node);
}

ConfigValue read_bare_value(const ConfigKey& key, std::string_view text, const Place& place) {
    const toml::value<std::string> bare{std::string(text)};
    toml::table table;
    const toml::node* node = &bare;
    try {
        if (line_of_deep_key(text)) {
            throw UserError(place.file, place.line,
                            fmt::format("{} has a key of many parts", key.name),
                            accepted_values(key));
        }
        table = toml::parse(fmt::format("v = {}", text));
        const toml::node* parsed = table.get("v");
        const bool wants_text =
            key.type == KeyType::kWord || key.type == KeyType::kText || key.type == KeyType::kWords;
        // A bare word may look like a number, and "5#6" is no 5 with a comment. More than one
        // entry: the text held a line break.
        const bool closed = parsed->is_string() || parsed->is_array();
        if (table.size() == 1 &&
            (closed || (!wants_text && text.find('#') == std::string_view::npos))) {
            node = parsed;
        }
    } catch (const toml::parse_error&) {
        if (text.size() > 18 && text.find_first_not_of("0123456789") == std::string_view::npos) {
            throw UserError(place.file, place.line,
                            fmt::format("{} = {} is too large", key.name, text),
                            accepted_values(key));
        }
        // No TOML value, hence a bare word.
    }
    return read_value(key, *node, place);
}

std::pair<std::string, std::string> split_setting(std::string_view text, const Place& place) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        throw UserError(place.file, place.line, fmt::format("--set {} has no =", in_quotes(text)),
                        "--set KEY=VALUE, such as --set buffer.size=8MiB");
    }
    const auto trimmed = [](std::string_view part) {
        const std::size_t first = std::min(part.find_first_not_of(' '), part.size());
        return std::string(part.substr(first, part.find_last_not_of(' ') - first + 1));
    };
    return {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
}

std::string bare_text(const ConfigKey& key, const ConfigValue& value) {
    const std::string text = value_text(key, value);
    const bool quoted = text.size() >= 2 && text.front() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string value_text(const ConfigKey& key, const ConfigValue& value) {
    const auto number = [&](std::uint64_t given) {
        if (given == 0 && !key.zero_word.empty()) {
            return in_quotes(key.zero_word);
        }
        const auto quantity = quantity_of(key.type);
        return quantity ? in_quotes(format_quantity(given, *quantity)) : std::to_string(given);
    };
    const auto list = [](const auto& values, auto one) {
        if (values.size() == 1) {
            return one(values.front());
        }
        std::vector<std::string> texts;
        for (const auto& element : values) {
            texts.push_back(one(element));
        }
        return fmt::format("[{}]", fmt::join(texts, ", "));
    };
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? "true" : "false";
    }
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
        return number(*whole);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return real_text(*real);
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        return in_quotes(*text);
    }
    if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&value)) {
        return list(*numbers, number);
    }
    return list(std::get<std::vector<std::string>>(value),
                [](const std::string& word) { return in_quotes(word); });
}

} // namespace cavern
