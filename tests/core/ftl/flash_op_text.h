#pragma once

#include <string>
#include <vector>

#include "core/ftl/flash_op.h"

namespace cavern::testing {

using Lines = std::vector<std::string>;

/// An operation as a short line: "program merge page 72 lpn 0 after 0 copies".
std::string text_of(const FlashOp& op);
Lines text_of(const FlashOpList& ops);

} // namespace cavern::testing
