#pragma once

#include <string>
#include <vector>

namespace cavern {

/// The words a key accepts, each with one sentence.
struct WordList {
    std::vector<std::string> words;
    std::vector<std::string> meanings;
    std::string text; ///< how to list them in a line, where they are many; else empty
};

// Taken from the tables of the layers, in the order of those tables, so that a new scheme is known
// here as soon as it has its row there.
[[nodiscard]] WordList buffer_policy_words();
[[nodiscard]] WordList eviction_words();
[[nodiscard]] WordList alloc_scheme_words();
[[nodiscard]] WordList round_robin_mode_words();
[[nodiscard]] WordList ftl_scheme_words();
[[nodiscard]] WordList gc_policy_words();
[[nodiscard]] WordList arbiter_policy_words();

} // namespace cavern
