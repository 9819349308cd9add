#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer/write_buffer.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// What a decision asks of flash and frames. A view of storage in the core, valid until the core
/// decides again: whoever gets one carries all of it out before that.
struct Batch {
    const FlashOpList& ops; ///< in order; programs carry the frame whose data they write
    const std::vector<Victim>& victims;  ///< pages that are written; most have left
    const std::vector<FrameId>& dropped; ///< frames of clean pages that left it
    std::uint32_t units = 0;             ///< units that are written, at least in part

    [[nodiscard]] bool evicts() const { return !victims.empty() || !dropped.empty(); }
    [[nodiscard]] bool empty() const { return ops.empty() && !evicts(); }
};

} // namespace cavern
