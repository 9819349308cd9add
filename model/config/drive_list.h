#pragma once

#include <cstddef>
#include <string>

namespace cavern {

/// The drives that come with the program: name, capacity and what each is, which is the first line
/// of its file. `width`: columns of the terminal; 0: lines are not broken.
[[nodiscard]] std::string drives_text(std::size_t width);
[[nodiscard]] std::string drives_json();
/// The page docs/drives.md.
[[nodiscard]] std::string drives_markdown();

} // namespace cavern
