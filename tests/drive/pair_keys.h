#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace cavern::testing {

/// A configuration key, and how often drives drawn at random give it: a row of
/// python/cavern/soak/keys.toml.
struct PairKey {
    std::string key;
    std::uint32_t percent; ///< of the drives
    /// The values it is given, alike often. Empty: the words of the key, or true and false.
    std::vector<std::string> values;
    /// Given only where another key has one of these values, "KEY=VALUE"; empty: always.
    std::vector<std::string> with;
};

/// What every drive is made of; a drive is drawn until these fit each other.
[[nodiscard]] const std::vector<PairKey>& basic_pair_keys();
/// The others, each of which goes where it does not fit what was drawn before.
[[nodiscard]] const std::vector<PairKey>& pair_keys();

/// Keys that are not drawn. A name that ends in a dot stands for a section.
[[nodiscard]] const std::vector<std::string>& undrawn_keys();

/// "KEY=VALUE" with a value drawn.
[[nodiscard]] std::string draw_setting(const PairKey& key, Random& random);

} // namespace cavern::testing
