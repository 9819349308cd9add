#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/strong_id.h"

namespace cavern {

/// A call of DriveCore by which pages are decided. Not of them is what the core does of its own
/// accord: DriveCore::evict_ahead(), complete_pages(), and a new division of memory.
struct DecisionCall {
    enum class Kind : std::uint8_t {
        kWrite,
        kWriteThrough,
        kRead,
        kTrim,
        kFlushStep,
        kMaintain,
        kFill
    };
    Kind kind = Kind::kFlushStep;
    Lpn lpn = kNoLpn;          ///< written or read; the first one trimmed or filled
    std::uint64_t count = 1;   ///< pages trimmed or filled
    PlaneId plane{};           ///< of maintain()
    std::uint32_t copies = 0;  ///< of maintain(), at most
    const Lpn* lpns = nullptr; ///< of fill(): `count` pages
};

/// Of a listener that compares them with other decisions.
struct ComparedDecisions {
    std::uint64_t calls = 0;
    std::uint64_t operations = 0; ///< for the flash
};

} // namespace cavern
