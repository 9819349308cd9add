#pragma once

#include <cstdint>

#include "timed/buffer/ids.h"

namespace cavern {

/// What lies where in the SDRAM: the frames of the write buffer, and behind them page slots for
/// flash reads, copies and pages that the buffer does not keep (frames behind the last). Whoever
/// needs a slot takes the one that its number falls on.
struct ControllerMemory {
    std::uint32_t page_bytes = 0;
    std::uint32_t frames = 0;
    std::uint32_t staging = 0; ///< slots

    [[nodiscard]] std::uint64_t address(FrameSlot frame) const {
        return raw(frame) < frames ? std::uint64_t{raw(frame)} * page_bytes
                                   : slot(raw(frame) - frames);
    }
    [[nodiscard]] std::uint64_t staging_address(TaskId task) const { return slot(raw(task)); }
    [[nodiscard]] std::uint64_t staging_address(OpHandle op) const { return slot(raw(op)); }

  private:
    [[nodiscard]] std::uint64_t slot(std::uint32_t number) const {
        return (std::uint64_t{frames} + number % staging) * page_bytes;
    }
};

} // namespace cavern
