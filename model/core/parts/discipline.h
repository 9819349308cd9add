#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/base/knob.h"

namespace cavern {

/// Order among operations of one die that may both start: `kReadFirst` lets any ready read overtake
/// programs and erases, and a read that the host waits for other reads as well; `kFifo` takes the
/// oldest ready operation. Under `kReadFirst` nothing bounds
/// the wait of a program: a die that always has a read at hand never programs. Under `kFifo` only
/// reads that are older than it go before it.
enum class Discipline : std::uint8_t { kReadFirst, kFifo };

/// Operations of its die's queue that a program may pass to join others.
inline constexpr std::size_t kSchedulerWindow = 16;

inline constexpr std::array<KnobWord, 2> kDisciplines{{
    {"read-first",
     "A host read goes before all others that wait for the same die, any read before programs "
     "and erases."},
    {"fifo", "Operations start in the order in which they became ready."},
}};

} // namespace cavern
