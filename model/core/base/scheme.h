#pragma once

#include <any>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/knob.h"

namespace cavern {

/// Parameters of a scheme, whatever their type; empty: the defaults.
using SchemeParams = std::any;

/// What a row of a table knows of its scheme's parameters.
struct SchemeKnobs {
    const Knob* knobs = nullptr;
    std::size_t count = 0;
    SchemeParams (*defaults)() = [] { return SchemeParams{}; };
    /// Of the struct that knobs have their fields in.
    void* (*address)(SchemeParams&) = nullptr;
    /// Why the parameters do not fit each other, as "what; what would be right"; null: they always
    /// do.
    std::optional<std::string> (*why_not)(const SchemeParams&) = nullptr;

    [[nodiscard]] const Knob* begin() const { return knobs; }
    [[nodiscard]] const Knob* end() const { return knobs + count; }
};

template <typename Scheme, typename = void>
struct HasParams : std::false_type {};
template <typename Scheme>
struct HasParams<Scheme, std::void_t<typename Scheme::Params>> : std::true_type {};

template <typename Params, typename = void>
struct HasWhyNot : std::false_type {};
template <typename Params>
struct HasWhyNot<Params, std::void_t<decltype(std::declval<const Params&>().why_not())>>
    : std::true_type {};

/// The parameters in `any`, which holds those of this type or nothing.
template <typename Params>
[[nodiscard]] Params params_in(const SchemeParams& any) {
    if (!any.has_value()) {
        return Params{};
    }
    const auto* held = std::any_cast<Params>(&any);
    CAVERN_CHECK(held != nullptr, "a scheme is given its own parameters");
    return *held;
}

/// The knobs of a type of parameters. `Params::why_not() const` is optional.
template <typename Params>
[[nodiscard]] SchemeKnobs knobs_in() {
    SchemeKnobs made{
        Params::knobs.data(), Params::knobs.size(), [] { return SchemeParams{Params{}}; },
        [](SchemeParams& any) { return static_cast<void*>(std::any_cast<Params>(&any)); }, nullptr};
    if constexpr (HasWhyNot<Params>::value) {
        made.why_not = [](const SchemeParams& any) { return params_in<Params>(any).why_not(); };
    }
    return made;
}

/// The knobs of a scheme; none if it has no type Params.
template <typename Scheme>
[[nodiscard]] SchemeKnobs knobs_of_scheme() {
    if constexpr (HasParams<Scheme>::value) {
        return knobs_in<typename Scheme::Params>();
    } else {
        return {};
    }
}

/// Makes a scheme from what it is built for, and from its parameters if it has any.
template <typename Interface, typename Scheme, typename Context>
[[nodiscard]] std::unique_ptr<Interface> make_scheme(const Context& context,
                                                     const SchemeParams& params) {
    if constexpr (HasParams<Scheme>::value) {
        return std::make_unique<Scheme>(context, params_in<typename Scheme::Params>(params));
    } else {
        CAVERN_CHECK(!params.has_value(), "a scheme without parameters is given none");
        return std::make_unique<Scheme>(context);
    }
}

/// The row of that name, or null.
template <typename Row>
[[nodiscard]] const Row* find_row(const std::vector<Row>& rows, std::string_view name) {
    for (const Row& row : rows) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

/// A member that points to a row, as a field of words: those of the table in its order. With
/// `Before` = 1 a word stands before them that means no row, null.
template <auto Table, std::size_t Before = 0, typename Row>
[[nodiscard]] KnobField row_field(const Row*& member) {
    return WordField{
        &member,
        [](const void* at) {
            const Row* row = *static_cast<const Row* const*>(at);
            return row == nullptr ? 0 : static_cast<std::size_t>(row - Table().data()) + Before;
        },
        [](void* at, std::size_t word) {
            *static_cast<const Row**>(at) = word < Before ? nullptr : &Table().at(word - Before);
        }};
}

/// The same for a list of rows.
template <auto Table, typename Row>
[[nodiscard]] KnobField row_field(std::vector<const Row*>& member) {
    return WordsField{&member,
                      [](const void* at) {
                          std::vector<std::size_t> words;
                          for (const Row* row : *static_cast<const std::vector<const Row*>*>(at)) {
                              words.push_back(static_cast<std::size_t>(row - Table().data()));
                          }
                          return words;
                      },
                      [](void* at, const std::vector<std::size_t>& words) {
                          auto& rows = *static_cast<std::vector<const Row*>*>(at);
                          rows.clear();
                          for (const std::size_t word : words) {
                              rows.push_back(&Table().at(word));
                          }
                      }};
}

/// Parameters of every row of a table, each of its scheme's own type.
template <typename Row>
class ParamsOf {
  public:
    /// All defaults. `table` must outlive this.
    explicit ParamsOf(const std::vector<Row>& table) : first_(table.data()) {
        for (const Row& row : table) {
            params_.push_back(row.knobs.defaults());
        }
    }
    [[nodiscard]] const SchemeParams& operator[](const Row& row) const {
        return params_.at(static_cast<std::size_t>(&row - first_));
    }
    [[nodiscard]] SchemeParams& operator[](const Row& row) {
        return params_.at(static_cast<std::size_t>(&row - first_));
    }

  private:
    const Row* first_;
    std::vector<SchemeParams> params_;
};

} // namespace cavern
