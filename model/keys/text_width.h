#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cavern {

/// `text` in lines of at most `width` characters, each behind `indent` blanks and with its "\n"; a
/// word that is longer stands alone. UTF-8: a character may have several bytes.
[[nodiscard]] std::string indented(std::string_view text, std::size_t indent, std::size_t width);

/// Columns of the terminal that standard output is; 0: it is none.
[[nodiscard]] std::size_t terminal_width();

} // namespace cavern
