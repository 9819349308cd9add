#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/output_file.h"
#include "core/base/units.h"
#include "workload/request.h"

namespace cavern {

/// How a trace format is written, and what it cannot say. It stands beside the format's reader.
struct TraceOutput {
    std::uint64_t offset_unit; ///< in bytes: offsets are multiples of it
    std::uint64_t size_unit;
    TimePs tick; ///< times are rounded down to a multiple
    bool has_trim;
    bool has_flush;
    bool has_namespaces;           ///< streams, and what is asked of zones
    void (*head)(OutputFile& out); ///< null: none
    void (*line)(OutputFile& out, const HostRequest& request);
};

/// A time in picoseconds in units of 10^`digits` ps, exact, with no zeros at the end beyond `least`
/// decimals.
struct DecimalTime {
    std::uint64_t whole;
    std::array<char, 16> fraction{};
    std::size_t size;

    DecimalTime(TimePs ps, unsigned digits, std::size_t least = 0);
    [[nodiscard]] std::string_view dot() const { return size > 0 ? "." : ""; }
    [[nodiscard]] std::string_view text() const { return {fraction.data(), size}; }
};

} // namespace cavern
