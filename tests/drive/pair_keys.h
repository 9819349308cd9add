#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"

namespace cavern::testing {

/// A configuration key, and how often drives drawn at random give it. Adding a key to the drawing
/// is one row of pair_keys().
struct PairKey {
    std::string_view key;
    std::uint32_t percent; ///< of the drives
    /// The values it is given, alike often. Empty: the words of the key, or true and false.
    std::vector<std::string> values;
    /// Given only where another key has this value, "KEY=VALUE"; empty: always.
    std::string_view with;
};

/// What every drive is made of; a drive is drawn until these fit each other.
[[nodiscard]] const std::vector<PairKey>& basic_pair_keys();
/// The others, each of which goes where it does not fit what was drawn before.
[[nodiscard]] const std::vector<PairKey>& pair_keys();

/// A key that is not drawn, and why. A name that ends in a dot stands for a section.
struct UndrawnKey {
    std::string_view key;
    std::string_view reason;
};
[[nodiscard]] const std::vector<UndrawnKey>& undrawn_keys();

/// "KEY=VALUE" with a value drawn.
[[nodiscard]] std::string draw_setting(const PairKey& key, Random& random);

} // namespace cavern::testing
