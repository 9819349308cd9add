#pragma once

#include <cstdint>

namespace cavern {

/// What is kept of the data of pages.
enum class DataStore : std::uint8_t { kNone, kFingerprint, kFull };

/// What a read finds where a TRIM has been.
enum class TrimReads : std::uint8_t { kZeros, kOld };

} // namespace cavern
