#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavern {

/// How an access of a page through the firmware's data cache ends.
enum class AccessEnd : std::uint8_t {
    kHit,
    kMiss,      ///< into an empty frame, or that of a clean page
    kDirtyMiss, ///< a dirty page is evicted
};
inline constexpr std::size_t kAccessEnds = 3;

/// The processor's cycles of an access through the data cache of `firmware/lookup` with one
/// look-up: find + compare · comparisons for the look-up, and what the rest takes by its end.
/// Measured on the interpreter of the processor, which takes the cycles of Ibex
/// (docs/papers/lookup.md).
struct LookUpCycles {
    std::string_view look_up; ///< name of firmware/lookup/look_up_table.c
    std::uint32_t groups = 0;
    double find = 0;
    double compare = 0;
    double read[kAccessEnds] = {};
    double write[kAccessEnds] = {};

    [[nodiscard]] double of_find(std::uint64_t compares) const {
        return find + compare * static_cast<double>(compares);
    }
    [[nodiscard]] double of_rest(bool writes, AccessEnd end) const {
        return (writes ? write : read)[static_cast<std::size_t>(end)];
    }
};

/// The frames with which all rows were measured. With others a comparison misses the line cache
/// more or less often.
inline constexpr std::uint32_t kMeasuredFrames = 16384;

/// The rows of cycles.inc, which `cavern-lookup costs` makes.
[[nodiscard]] const std::vector<LookUpCycles>& look_up_cycles();

/// The row, or null if it has not been measured.
[[nodiscard]] const LookUpCycles* find_look_up_cycles(std::string_view look_up,
                                                      std::uint32_t groups);

/// "1, 2, 4": the groups that a look-up was measured with.
[[nodiscard]] std::string measured_groups(std::string_view look_up);

} // namespace cavern
