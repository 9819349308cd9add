#pragma once

#include <string>

namespace cavern {

/// The table of docs/nand-commands.md: what a die can be asked to do, and the keys for it.
[[nodiscard]] std::string nand_commands_markdown();

} // namespace cavern
