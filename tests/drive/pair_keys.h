#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config_keys.h"
#include "core/base/random.h"

namespace cavern::testing {

/// A configuration key, and how often drives drawn at random give it: a row of
/// python/cavern/soak/keys.toml, or what drawn_without_row() says.
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

/// What is drawn of a key that has no row, nor a reason to have none: its words, true and false, or
/// the ends of its range; of a scheme's key only where that is in use. Nothing: a text needs a row.
[[nodiscard]] std::optional<PairKey> drawn_without_row(const ConfigKey& key);

/// Keys that are not drawn. A name that ends in a dot stands for a section.
[[nodiscard]] const std::vector<std::string>& undrawn_keys();

/// "KEY=VALUE" with a value drawn.
[[nodiscard]] std::string draw_setting(const PairKey& key, Random& random);

} // namespace cavern::testing
