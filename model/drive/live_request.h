#pragma once

#include <cstdint>

#include "core/base/units.h"

namespace cavern {

/// What may be asked of a LiveDrive.
enum class LiveOp : std::uint8_t { kRead, kWrite, kTrim, kWriteZeroes, kFlush };

/// Offset and size in bytes, multiples of a sector; a flush has neither.
struct LiveRequest {
    LiveOp op = LiveOp::kRead;
    /// Of a write, a TRIM or zeros: done when it is in flash.
    bool fua = false;
    /// Of zeros: their pages may not be forgotten, but are written.
    bool keeps_place = false;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t tag = 0; ///< the caller's own; comes back with the completion
};

enum class LiveStatus : std::uint8_t {
    kDone,
    kLost,   ///< data read could not be corrected
    kRefused ///< the state of its zone forbids it
};

struct LiveCompletion {
    std::uint64_t tag = 0;
    std::uint64_t number = 0; ///< as LiveDrive::submit() gave it
    LiveStatus status = LiveStatus::kDone;
    TimePs submitted = 0;
    TimePs completed = 0;
};

} // namespace cavern
