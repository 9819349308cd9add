#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cavern {

/// A relation of values that holds in every run, as a line of text that is printed and evaluated:
///
///     min <= p50 <= max                       names are fields of the object that the law is of,
///     busy_ns <= sim.measured_ns              or of the whole file
///     programs = sum(handles[].programs)      [] is each element of an array
///     if no recovery and count = 0: max = 0
///     total = known(nand) + known(bus)        known(x) is 0 where x is null or absent
///
/// Where it names what is null or absent, a law says nothing. Whole numbers compare exactly, others
/// to nine digits. Text like "4KiB" is a number of bytes beside one.
class Law {
  public:
    using Json = nlohmann::ordered_json;

    explicit Law(std::string_view text);

    /// From now on it is about these, which stay where they are. Values in them may change.
    void apply_to(const Json& place, const Json& whole);
    [[nodiscard]] bool holds() const { return !is(false, value(root_)); }
    /// It says something of them, and that is true.
    [[nodiscard]] bool is_kept() const { return is(true, value(root_)); }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// "busy_ns is 12, sim.measured_ns is 10".
    [[nodiscard]] std::string values() const;
    /// A field that it names, and where that is. Each name once.
    struct Field {
        std::string name;
        std::vector<const Json*> found;
    };
    [[nodiscard]] std::vector<Field> fields() const;

  private:
    enum class Op : std::uint8_t {
        kNumber,
        kText,
        kField,
        kSum,
        kCount,
        kKnown,
        kNo,
        kPlus,
        kMinus,
        kTimes,
        kOver,
        kEqual,
        kUnequal,
        kBelow,
        kAtMost,
        kAnd,
        kIf
    };
    using Index = std::size_t;
    struct Node {
        Op op;
        Index left = 0;
        Index right = 0;
        long double number = 0;
        std::string text; ///< or the name of a field
        std::vector<const Json*> found;
    };
    struct Value {
        enum class Kind : std::uint8_t { kUnknown, kNumber, kText, kTruth };
        Kind kind = Kind::kUnknown;
        long double number = 0;
        bool exact = true;
        std::string_view text;
    };

    [[nodiscard]] static Value number(long double number, bool exact = true) {
        return {Value::Kind::kNumber, number, exact, {}};
    }
    [[nodiscard]] static Value truth(bool is_true) {
        return {Value::Kind::kTruth, is_true ? 1.0L : 0.0L, true, {}};
    }
    [[nodiscard]] static bool is(bool truth, const Value& value) {
        return value.kind == Value::Kind::kTruth && (value.number != 0) == truth;
    }
    [[nodiscard]] static Value read(const Json& json);
    [[nodiscard]] static Value as_number(const Value& value);
    [[nodiscard]] static Value sum(const Json& json);
    [[nodiscard]] static Value calculated(Op op, const Value& left, const Value& right);
    [[nodiscard]] static Value compared(Op op, const Value& left, const Value& right);
    [[nodiscard]] static Value both(const Value& left, const Value& right);
    [[nodiscard]] Value value(Index index) const;

    [[nodiscard]] std::string_view next();
    [[nodiscard]] bool take(std::string_view token);
    Index add(Op op, Index left = 0, Index right = 0);
    Index parse(std::size_t level);
    Index parse_value();
    Index parse_field();

    std::string text_;
    std::size_t at_ = 0; ///< of the text, while it is read
    std::vector<Node> nodes_;
    Index root_ = 0;
};

/// Calls `act` with each place of a path, such as "dies[].busy_ns", and its name.
void each_place(const Law::Json& json, std::string_view path, const std::string& name,
                const std::function<void(const Law::Json&, const std::string&)>& act);

} // namespace cavern
