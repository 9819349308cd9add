#pragma once

#include <array>
#include <cstdint>

#include "core/base/knob.h"

namespace cavern {

/// Which ready operation a die takes.
enum class Discipline : std::uint8_t { kReadFirst, kFifo };

inline constexpr std::array<KnobWord, 2> kDisciplines{{
    {"read-first", "A host read goes before programs and erases that wait for the same die."},
    {"fifo", "Operations start in the order in which they became ready."},
}};

} // namespace cavern
