#include "results/law.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include "core/base/check.h"
#include "core/base/units.h"

namespace cavern {
namespace {

constexpr long double kTooLarge = 9223372036854775808.0L; // for a whole number to be exact
constexpr long double kNineDigits = 1e-9L;
constexpr std::string_view kWordLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789_.[]";

} // namespace

void each_place(const Law::Json& json, std::string_view path, const std::string& name,
                const std::function<void(const Law::Json&, const std::string&)>& act) {
    if (path.empty()) {
        act(json, name);
        return;
    }
    const std::string_view first = path.substr(0, path.find('.'));
    const std::string_view rest = path.substr(std::min(first.size() + 1, path.size()));
    const bool each = first.size() > 2 && first.substr(first.size() - 2) == "[]";
    const std::string field(first.substr(0, first.size() - (each ? 2 : 0)));
    if (!json.is_object() || !json.contains(field)) {
        return;
    }
    const Law::Json& below = json[field];
    const std::string inner = name + (name.empty() ? "" : ".") + field;
    if (!each) {
        each_place(below, rest, inner, act);
    }
    for (std::size_t i = 0; each && below.is_array() && i < below.size(); ++i) {
        each_place(below[i], rest, fmt::format("{}[{}]", inner, i), act);
    }
}

// ---- reading ------------------------------------------------------------------------------------

Law::Law(std::string_view text) : text_(text) {
    const bool conditional = take("if");
    root_ = parse(0);
    if (conditional) {
        CAVERN_CHECK(take(":"), "a colon follows the condition of a law: " + text_);
        root_ = add(Op::kIf, root_, parse(0));
    }
    CAVERN_CHECK(next().empty(), "a law ends where its text does: " + text_);
}

/// The token at hand: a word, a text in quotes, or what stands between them.
std::string_view Law::next() {
    at_ = std::min(text_.find_first_not_of(' ', at_), text_.size());
    const std::string_view rest = std::string_view(text_).substr(at_);
    if (!rest.empty() && rest.front() == '"') {
        return rest.substr(0, rest.find('"', 1) + 1);
    }
    const std::size_t word = std::min(rest.find_first_not_of(kWordLetters), rest.size());
    const bool two = rest.substr(0, 2) == "<=" || rest.substr(0, 2) == "!=";
    return rest.substr(0, word != 0 ? word : two ? 2 : 1);
}

bool Law::take(std::string_view token) {
    const bool is_next = next() == token;
    at_ += is_next ? token.size() : 0;
    return is_next;
}

Law::Index Law::add(Op op, Index left, Index right) {
    nodes_.push_back({op, left, right, 0, {}, {}});
    return nodes_.size() - 1;
}

/// Operators of one level, from the left. Comparisons in a row compare neighbours.
Law::Index Law::parse(std::size_t level) {
    using Operator = std::pair<std::string_view, Op>;
    static const std::vector<std::vector<Operator>> kLevels{
        {{"and", Op::kAnd}},
        {{"=", Op::kEqual}, {"!=", Op::kUnequal}, {"<=", Op::kAtMost}, {"<", Op::kBelow}},
        {{"+", Op::kPlus}, {"-", Op::kMinus}},
        {{"*", Op::kTimes}, {"/", Op::kOver}}};
    if (level == kLevels.size()) {
        return parse_value();
    }
    const std::vector<Operator>& operators = kLevels[level];
    Index left = parse(level + 1);
    Index all = left;
    for (bool first = true;; first = false) {
        const auto found = std::find_if(operators.begin(), operators.end(),
                                        [this](const Operator& each) { return take(each.first); });
        if (found == operators.end()) {
            return all;
        }
        const Index right = parse(level + 1);
        const bool compares = level == 1;
        const Index result = add(found->second, compares ? left : all, right);
        all = compares && !first ? add(Op::kAnd, all, result) : result;
        left = right;
    }
}

Law::Index Law::parse_value() {
    if (take("(")) {
        const Index inner = parse(0);
        CAVERN_CHECK(take(")"), "a bracket of a law is closed: " + text_);
        return inner;
    }
    if (take("no")) {
        return add(Op::kNo, parse_field());
    }
    for (const auto& [name, op] : {std::pair{"sum", Op::kSum}, std::pair{"count", Op::kCount},
                                   std::pair{"known", Op::kKnown}}) {
        const std::size_t before = at_;
        if (take(name) && take("(")) {
            const Index call = add(op, parse_field());
            CAVERN_CHECK(take(")"), "a bracket of a law is closed: " + text_);
            return call;
        }
        at_ = before; // a field of that name
    }
    const std::string token(next());
    const bool is_truth = token == "true" || token == "false";
    if (is_truth || (!token.empty() && std::isdigit(token.front()) != 0)) {
        at_ += token.size();
        const Index number = add(Op::kNumber);
        nodes_[number].number =
            is_truth ? (token == "true" ? 1 : 0) : std::strtold(token.c_str(), nullptr);
        return number;
    }
    if (!token.empty() && token.front() == '"') {
        at_ += token.size();
        const Index text = add(Op::kText);
        nodes_[text].text = token.substr(1, token.size() - 2);
        return text;
    }
    return parse_field();
}

Law::Index Law::parse_field() {
    const std::string_view name = next();
    CAVERN_CHECK(!name.empty() && std::isalpha(name.front()) != 0,
                 "a law names a field here: " + text_);
    at_ += name.size();
    const Index field = add(Op::kField);
    nodes_[field].text = name;
    return field;
}

// ---- evaluating ---------------------------------------------------------------------------------

void Law::apply_to(const Json& place, const Json& whole) {
    for (Node& node : nodes_) {
        node.found.clear();
        if (node.op == Op::kField) {
            const std::string first = node.text.substr(0, node.text.find_first_of(".["));
            const bool here = place.is_object() && place.contains(first);
            each_place(
                here ? place : whole, node.text, {},
                [&](const Json& found, const std::string&) { node.found.push_back(&found); });
        }
    }
}

Law::Value Law::read(const Json& json) {
    if (json.is_string()) {
        return {Value::Kind::kText, 0, true, json.get_ref<const std::string&>()};
    }
    if (json.is_boolean()) {
        return number(json.get<bool>() ? 1 : 0);
    }
    return json.is_number() ? number(json.get<long double>(), !json.is_number_float()) : Value{};
}

Law::Value Law::as_number(const Value& value) {
    if (value.kind != Value::Kind::kText) {
        return value;
    }
    const auto bytes = parse_quantity(value.text, Quantity::kBytes);
    return bytes ? number(static_cast<long double>(*bytes)) : Value{};
}

Law::Value Law::sum(const Json& json) {
    if (!json.is_array()) {
        return read(json);
    }
    Value all = number(0);
    for (const Json& each : json) {
        all = calculated(Op::kPlus, all, sum(each));
    }
    return all;
}

Law::Value Law::calculated(Op op, const Value& left, const Value& right) {
    const Value a = as_number(left);
    const Value b = as_number(right);
    if (a.kind != Value::Kind::kNumber || b.kind != Value::Kind::kNumber ||
        (op == Op::kOver && b.number == 0)) {
        return {};
    }
    const long double result = op == Op::kPlus    ? a.number + b.number
                               : op == Op::kMinus ? a.number - b.number
                               : op == Op::kTimes ? a.number * b.number
                                                  : a.number / b.number;
    return number(result, a.exact && b.exact && op != Op::kOver && std::fabs(result) < kTooLarge);
}

/// A value that is no number is neither equal nor less.
Law::Value Law::compared(Op op, const Value& left, const Value& right) {
    if (left.kind == Value::Kind::kText && right.kind == Value::Kind::kText) {
        return truth((left.text == right.text) == (op == Op::kEqual));
    }
    const Value a = as_number(left);
    const Value b = as_number(right);
    if (a.kind != Value::Kind::kNumber || b.kind != Value::Kind::kNumber) {
        return {};
    }
    const bool exact = a.exact && b.exact;
    const long double slack =
        exact ? 0 : kNineDigits * std::max(std::fabs(a.number), std::fabs(b.number));
    const bool equal = std::fabs(a.number - b.number) <= slack;
    return truth(op == Op::kEqual     ? equal
                 : op == Op::kUnequal ? !equal
                 : op == Op::kBelow   ? a.number < b.number
                                      : a.number <= b.number + slack);
}

Law::Value Law::both(const Value& left, const Value& right) {
    const bool left_decides = is(false, left) || (!is(true, left) && !is(false, right));
    return left_decides ? left : right;
}

Law::Value Law::value(Index index) const {
    const Node& node = nodes_[index];
    const std::vector<const Json*>& found = nodes_[node.left].found; // of what has a field
    switch (node.op) {
    case Op::kNumber:
        return number(node.number, node.number == std::floor(node.number));
    case Op::kText:
        return {Value::Kind::kText, 0, true, node.text};
    case Op::kField:
        return node.found.size() == 1 ? read(*node.found.front()) : Value{};
    case Op::kSum: {
        Value all = number(0);
        for (const Json* each : found) {
            all = calculated(Op::kPlus, all, sum(*each));
        }
        return all;
    }
    case Op::kCount:
        return number(static_cast<long double>(found.size()));
    case Op::kKnown: {
        const Value known = value(node.left);
        return known.kind == Value::Kind::kUnknown ? number(0) : known;
    }
    case Op::kNo:
        return truth(found.empty() || found.front()->is_null());
    case Op::kPlus:
    case Op::kMinus:
    case Op::kTimes:
    case Op::kOver:
        return calculated(node.op, value(node.left), value(node.right));
    case Op::kAnd:
        return both(value(node.left), value(node.right));
    case Op::kIf:
        return is(true, value(node.left)) ? value(node.right) : Value{};
    default:
        return compared(node.op, value(node.left), value(node.right));
    }
}

std::string Law::values() const {
    std::string text;
    for (const Field& field : fields()) {
        Value all = number(0);
        for (const Json* each : field.found) {
            all = calculated(Op::kPlus, all, sum(*each));
        }
        const std::string is = field.found.empty()       ? "absent"
                               : field.found.size() == 1 ? field.found.front()->dump()
                                                         : fmt::format("{} in sum", all.number);
        text += (text.empty() ? "" : ", ") + field.name + " is " + is;
    }
    return text;
}

std::vector<Law::Field> Law::fields() const {
    std::vector<Field> fields;
    for (const Node& node : nodes_) {
        const bool is_new = std::none_of(fields.begin(), fields.end(), [&node](const Field& field) {
            return field.name == node.text;
        });
        if (node.op == Op::kField && is_new) {
            fields.push_back({node.text, node.found});
        }
    }
    return fields;
}

} // namespace cavern
