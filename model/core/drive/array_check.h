#pragma once

#include <cstdint>

#include "core/drive/drive_core.h"
#include "core/nand/nand_array.h"

namespace cavern {

/// The map itself is checked at the end of a run on drives of at most so many logical pages: the
/// check walks all of it, written or not.
constexpr std::uint64_t kFullCheckPages = std::uint64_t{1} << 26;

/// At rest, every mapped page is programmed where the core believes it, with its logical page in
/// the spare area, in its newest version: the core decides, the array follows. Throws ModelError
/// otherwise. `array` must store spare areas. Walks what is programmed, so that untouched space
/// costs nothing; returns facts compared.
std::uint64_t check_array_follows_core(const DriveCore& core, const NandArray& array);

} // namespace cavern
