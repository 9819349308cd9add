#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// What a counter is called, what it counts, and one sentence about it.
struct CounterInfo {
    std::string_view name; ///< of its field in the summary, below the part's; may be dotted
    std::string_view unit;
    std::string_view meaning;
};

/// The declaration of one counter of the struct `Owner`.
template <typename Owner>
struct Counter : CounterInfo {
    std::uint64_t Owner::*member = nullptr;
    std::uint64_t divisor = 1; ///< of the member, rounded to the nearest

    [[nodiscard]] constexpr std::uint64_t value(const Owner& counters) const {
        return (counters.*member + divisor / 2) / divisor;
    }
};

template <typename Owner>
[[nodiscard]] constexpr Counter<Owner> counter(std::uint64_t Owner::*member, std::string_view name,
                                               std::string_view unit, std::string_view meaning) {
    return {{name, unit, meaning}, member, 1};
}

/// A sum of simulated time, which the summary has in nanoseconds.
template <typename Owner>
[[nodiscard]] constexpr Counter<Owner> duration(TimePs Owner::*member, std::string_view name,
                                                std::string_view meaning) {
    return {{name, "ns", meaning}, member, kNs};
}

/// The list that a struct of counters carries, as gem5's statistics do (ADD_STAT):
///
///   struct Counters {
///       std::uint64_t gc_pages = 0;
///       static constexpr auto declared =
///           counters_of(counter(&Counters::gc_pages, "gc_pages", "pages", "Pages moved."));
///   };
template <typename Owner, typename... More>
[[nodiscard]] constexpr std::array<Counter<Owner>, 1 + sizeof...(More)>
counters_of(Counter<Owner> first, More... more) {
    return {first, more...};
}

/// Adds every counter that the struct declares.
template <typename Owner>
void add_counters(Owner& sum, const Owner& other) {
    for (const Counter<Owner>& each : Owner::declared) {
        sum.*each.member += other.*each.member;
    }
}

/// The list of a struct of counters, whatever its type. There is one object for each type.
class CounterSet {
  public:
    template <typename Owner>
    [[nodiscard]] static const CounterSet& of() {
        static const CounterSet set({Owner::declared.begin(), Owner::declared.end()},
                                    [](const void* counters, std::size_t index) {
                                        return Owner::declared[index].value(
                                            *static_cast<const Owner*>(counters));
                                    });
        return set;
    }

    [[nodiscard]] const std::vector<CounterInfo>& counters() const { return counters_; }

  private:
    friend class CounterView;
    using Read = std::uint64_t (*)(const void* counters, std::size_t index);
    CounterSet(std::vector<CounterInfo> counters, Read read)
        : counters_(std::move(counters)), read_(read) {}

    std::vector<CounterInfo> counters_;
    Read read_;
};

/// A struct of counters, whatever its type; or none. Valid as long as the struct.
class CounterView {
  public:
    CounterView() = default;
    template <typename Owner, typename = decltype(Owner::declared)>
    CounterView(
        const Owner& counters) // NOLINT(google-explicit-constructor): a view, as of a string
        : set_(&CounterSet::of<Owner>()), counters_(&counters) {}

    /// Null: no counters.
    [[nodiscard]] const CounterSet* set() const { return set_; }
    [[nodiscard]] std::uint64_t value(std::size_t index) const {
        return set_->read_(counters_, index);
    }
    /// The counter of that name; 0 where there is none, as nothing was counted.
    [[nodiscard]] std::uint64_t value_of(std::string_view name) const {
        for (std::size_t i = 0; set_ != nullptr && i < set_->counters().size(); ++i) {
            if (set_->counters()[i].name == name) {
                return value(i);
            }
        }
        return 0;
    }
    /// The struct, or null if it is of another type.
    template <typename Owner>
    [[nodiscard]] const Owner* as() const {
        return set_ == &CounterSet::of<Owner>() ? static_cast<const Owner*>(counters_) : nullptr;
    }

  private:
    const CounterSet* set_ = nullptr;
    const void* counters_ = nullptr;
};

/// The counters that a class has of its own, a `Counters` with a list; null without.
template <typename Class, typename = void>
struct OwnCounters {
    [[nodiscard]] static const CounterSet* set() { return nullptr; }
};
template <typename Class>
struct OwnCounters<Class, std::void_t<decltype(Class::Counters::declared)>> {
    [[nodiscard]] static const CounterSet* set() {
        return &CounterSet::of<typename Class::Counters>();
    }
};

} // namespace cavern
