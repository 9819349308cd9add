#pragma once

#include "core/base/geometry.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

// What a die refuses: each throws ModelError.

/// ONFI 5.0, 5.26: the planes of a command differ, and so do not the page addresses of reads and
/// programs.
void check_planes(const Geometry& geometry, const NandExtension& command);
/// Plane by plane the pages of a word line, none too few.
void check_word_lines(const Geometry& geometry, const NandExtension& command);
/// A program keeps the other pages of its block readable, an erase keeps none.
void check_beside_suspended(const Geometry& geometry, const NandExtension& command,
                            const NandExtension& suspended);
/// `what` is the rule.
void check_same_blocks(const Geometry& geometry, const NandExtension& command,
                       const NandExtension& before, const char* what);

} // namespace cavern
