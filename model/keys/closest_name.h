#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cavern {

/// The candidate that `word` is most likely a slip of, or nothing when none is close: fewest edits
/// (insert, drop, replace a letter), at most a third of the word's length and at least two. A
/// dotted name may also match by its last part alone. Of equals a whole name wins, then the first.
[[nodiscard]] std::string closest_name(std::string_view word,
                                       const std::vector<std::string>& candidates);

} // namespace cavern
