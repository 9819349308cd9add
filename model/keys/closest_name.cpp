#include "keys/closest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cavern {
namespace {

/// Levenshtein distance, one row at a time.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

std::string_view last_part(std::string_view dotted) {
    return dotted.substr(dotted.rfind('.') + 1); // npos + 1 is 0
}

} // namespace

std::string closest_name(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string_view tail = last_part(word);
    std::pair<std::size_t, bool> best{std::string_view::npos, true}; // edits, of the last part
    std::string found;
    for (const std::string& candidate : candidates) {
        const std::size_t whole = edits(word, candidate);
        // What has no letter in common is nothing that was meant.
        if (whole <= std::max<std::size_t>(2, word.size() / 3) && whole < word.size() &&
            std::pair(whole, false) < best) {
            best = {whole, false};
            found = candidate;
        }
        // The right key in the wrong section costs one edit more than its last part.
        const std::size_t part = edits(tail, last_part(candidate));
        if (part <= std::max<std::size_t>(1, tail.size() / 3) && part < tail.size() &&
            std::pair(part + 1, true) < best) {
            best = {part + 1, true};
            found = candidate;
        }
    }
    return found;
}

} // namespace cavern
