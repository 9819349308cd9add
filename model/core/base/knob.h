#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// What a value is. The quantities need a unit; a count and a real are plain numbers.
enum class KnobKind : std::uint8_t {
    kFlag,  ///< true or false
    kCount, ///< whole number
    kReal,  ///< number with a fraction
    kTime,
    kTimes, ///< one time, or a list with one per page type
    kBytes,
    kRate,
    kHertz,
    kVolts,
    kAmperes,
    kWatts,
    kJoules,
    kWord,  ///< one of a list of words
    kWords, ///< one such word, or a list of different ones
    kText,
};

inline constexpr std::uint64_t kMaxCount = 1'000'000'000;
/// Times stay far from the 213 days that 2^64 ps hold, so that sums of them cannot overflow.
inline constexpr TimePs kMaxTime = 1000 * kSecond;
inline constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50;
inline constexpr std::uint64_t kMaxRate = 1'000'000'000'000;
inline constexpr std::uint64_t kMaxHertz = 100'000'000'000; // as clock_period()

/// The largest value of a kind, unless a range says otherwise.
[[nodiscard]] constexpr std::uint64_t largest_of(KnobKind kind) {
    switch (kind) {
    case KnobKind::kTime:
    case KnobKind::kTimes:
        return kMaxTime;
    case KnobKind::kBytes:
        return kMaxBytes;
    case KnobKind::kRate:
        return kMaxRate;
    case KnobKind::kHertz:
        return kMaxHertz;
    default:
        return kMaxCount;
    }
}

/// A member that holds one of several words as the number of the word.
struct WordField {
    void* member;
    std::size_t (*get)(const void* member);
    void (*set)(void* member, std::size_t word);
};

/// A member that holds a list of such words.
struct WordsField {
    void* member;
    std::vector<std::size_t> (*get)(const void* member);
    void (*set)(void* member, const std::vector<std::size_t>& words);
};

/// The member that a value goes to, in base units (ps, bytes, bytes or hertz per second, mV,
/// nA, uW, fJ). A flag
/// may hold two words: it is set for the second.
using KnobField = std::variant<bool*, std::uint32_t*, std::uint64_t*, double*, std::string*,
                               std::vector<std::uint64_t>*, WordField, WordsField>;

/// An enum holds words in the order of its values.
template <typename T>
[[nodiscard]] KnobField field_of(T& member) {
    if constexpr (std::is_enum_v<T>) {
        return WordField{
            &member,
            [](const void* at) { return static_cast<std::size_t>(*static_cast<const T*>(at)); },
            [](void* at, std::size_t word) { *static_cast<T*>(at) = static_cast<T>(word); }};
    } else {
        return &member;
    }
}

/// An enum of a list.
template <typename T, typename = std::enable_if_t<std::is_enum_v<T>>>
[[nodiscard]] KnobField field_of(std::vector<T>& member) {
    return WordsField{&member,
                      [](const void* at) {
                          std::vector<std::size_t> words;
                          for (const T word : *static_cast<const std::vector<T>*>(at)) {
                              words.push_back(static_cast<std::size_t>(word));
                          }
                          return words;
                      },
                      [](void* at, const std::vector<std::size_t>& words) {
                          auto& list = *static_cast<std::vector<T>*>(at);
                          list.clear();
                          for (const std::size_t word : words) {
                              list.push_back(static_cast<T>(word));
                          }
                      }};
}

/// A word that a value may be, and what it means.
struct KnobWord {
    std::string_view name;
    std::string_view meaning; ///< one sentence; may be empty
};

/// A parameter of a scheme, declared once beside the struct that holds it:
///
///   struct RefParams {
///       std::uint32_t window = 0;
///       static constexpr auto knobs = knobs_of(
///           knob<&RefParams::window>("window", "REF looks for victims among so many pages"));
///   };
///
/// The member's initialiser is the default. The configuration makes the key buffer.ref.window of
/// the name of the scheme's row and of the knob.
struct Knob {
    static constexpr std::size_t kMostWords = 8;

    std::string_view name;
    std::string_view meaning; ///< a sentence that stands on its own
    KnobKind kind;
    KnobField (*field)(void* params); ///< of a struct of the type that declares the knob
    std::string_view source{};        ///< where the default comes from, if it is a fact
    std::uint64_t low = 0;            ///< of whole numbers and quantities, in base units
    std::uint64_t high = 0;
    double real_low = 0.0;
    double real_high = 0.0;
    std::array<KnobWord, kMostWords> words{};
    std::size_t word_count = 0;

    [[nodiscard]] constexpr Knob as(KnobKind quantity) const {
        Knob knob = *this;
        knob.kind = quantity;
        knob.high = largest_of(quantity);
        return knob;
    }
    [[nodiscard]] constexpr Knob time() const { return as(KnobKind::kTime); }
    [[nodiscard]] constexpr Knob bytes() const { return as(KnobKind::kBytes); }
    [[nodiscard]] constexpr Knob range(std::uint64_t least, std::uint64_t most) const {
        Knob knob = *this;
        knob.low = least;
        knob.high = most;
        return knob;
    }
    [[nodiscard]] constexpr Knob at_least(std::uint64_t least) const { return range(least, high); }
    [[nodiscard]] constexpr Knob within(double least, double most) const {
        Knob knob = *this;
        knob.real_low = least;
        knob.real_high = most;
        return knob;
    }
    /// The words of an enum in the order of its values; of a flag: false, then true.
    template <typename... Words>
    [[nodiscard]] constexpr Knob of(Words... accepted) const {
        static_assert(sizeof...(Words) <= kMostWords);
        Knob knob = *this;
        knob.kind = kind == KnobKind::kWords ? kind : KnobKind::kWord;
        knob.words = {accepted...};
        knob.word_count = sizeof...(Words);
        return knob;
    }
    [[nodiscard]] constexpr Knob from(std::string_view where) const {
        Knob knob = *this;
        knob.source = where;
        return knob;
    }
};

namespace knob_detail {

template <typename Member>
struct MemberOf;
template <typename Params, typename Value>
struct MemberOf<Value Params::*> {
    using Holder = Params;
    using Type = Value;
};

template <auto Member>
KnobField field(void* params) {
    using Holder = typename MemberOf<decltype(Member)>::Holder;
    return field_of(static_cast<Holder*>(params)->*Member);
}

template <typename Value>
struct IsListOfEnum : std::false_type {};
template <typename Value>
struct IsListOfEnum<std::vector<Value>> : std::is_enum<Value> {};

template <typename Value>
constexpr KnobKind kind_of() {
    return std::is_same_v<Value, bool>     ? KnobKind::kFlag
           : std::is_same_v<Value, double> ? KnobKind::kReal
           : std::is_enum_v<Value>         ? KnobKind::kWord
           : IsListOfEnum<Value>::value    ? KnobKind::kWords
                                           : KnobKind::kCount;
}

} // namespace knob_detail

/// A knob bound to a member: a flag, a count or a real, as its type says.
template <auto Member>
[[nodiscard]] constexpr Knob knob(std::string_view name, std::string_view meaning) {
    using Value = typename knob_detail::MemberOf<decltype(Member)>::Type;
    constexpr KnobKind kKind = knob_detail::kind_of<Value>();
    Knob made{name, meaning, kKind, &knob_detail::field<Member>};
    made.high = largest_of(kKind);
    return made;
}

template <typename... Knobs>
[[nodiscard]] constexpr std::array<Knob, sizeof...(Knobs)> knobs_of(Knobs... knobs) {
    return {knobs...};
}

} // namespace cavern
