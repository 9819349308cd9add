#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace cavern {

/// As the initiator sees it: a read fetches what the target has.
enum class MoveDirection : std::uint8_t { kRead, kWrite };

/// What a payload of the base protocol would ask.
struct Transfer {
    MoveDirection direction = MoveDirection::kRead;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t bytes_before = 0; ///< of the same command, moved already
};

/// A target that its initiator knows: nobody stands between their sockets. A call takes a third of
/// the instructions of a payload, and the same time.
class PromptTargetIf {
  public:
    virtual ~PromptTargetIf() = default;
    /// Carries out a transfer that begins now; returns when it ends. kNever: that cannot be said
    /// yet. Nothing has happened then, and a payload is to ask for it.
    virtual TimePs carry_out(const Transfer& transfer) = 0;
};

} // namespace cavern
