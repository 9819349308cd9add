#pragma once

#include <cstdint>

#include "timed/buffer/ids.h"

namespace cavern {

/// What lies where in the SDRAM: the frames of the write buffer, behind them page slots for flash
/// reads of the host and pages that the buffer does not keep (frames behind the last), and pages
/// for copies (FlashQueues::Params::copy_pages). A read of the host takes the slot that its
/// number falls on.
struct ControllerMemory {
    std::uint32_t page_bytes = 0;
    std::uint32_t frames = 0;
    std::uint32_t staging = 0; ///< slots

    [[nodiscard]] std::uint64_t address(FrameSlot frame) const {
        return raw(frame) < frames ? std::uint64_t{raw(frame)} * page_bytes
                                   : slot(raw(frame) - frames);
    }
    [[nodiscard]] std::uint64_t staging_address(TaskId task) const { return slot(raw(task)); }
    [[nodiscard]] std::uint64_t staging_address(OpId op) const { return slot(raw(op)); }
    [[nodiscard]] std::uint64_t copy_address(std::uint32_t copy_page) const {
        return (std::uint64_t{frames} + staging + copy_page) * page_bytes;
    }

  private:
    [[nodiscard]] std::uint64_t slot(std::uint32_t number) const {
        return (std::uint64_t{frames} + number % staging) * page_bytes;
    }
};

} // namespace cavern
