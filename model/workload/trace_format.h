#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/units.h"
#include "workload/request.h"
#include "workload/trace_reader.h"

namespace cavern {

/// How a trace format is written, and what it cannot say. It stands beside the format's reader.
struct TraceOutput {
    std::uint64_t offset_unit; ///< in bytes: offsets are multiples of it
    std::uint64_t size_unit;
    TimePs tick; ///< times are rounded down to a multiple
    bool has_trim;
    bool has_flush;
    bool has_marks;                ///< streams, FUA, and what is asked of zones
    void (*head)(OutputFile& out); ///< null: none
    void (*line)(OutputFile& out, const HostRequest& request);
};

/// How a trace format is read and written; it stands behind the format's reader.
struct TraceReading {
    /// Whether these first lines of a trace (no empty ones, no comments) are of this format; null
    /// for a binary format.
    bool (*detect)(const std::vector<std::string_view>& lines);
    std::unique_ptr<TraceReader> (*make)(LineReader lines);
    const TraceOutput* output = nullptr; ///< null: it is only read
    /// Whether a binary trace that begins with these bytes is of this format; null for text.
    bool (*detect_bytes)(std::string_view start) = nullptr;
};

extern const TraceReading kCsvTraces, kSpcTraces, kMsrTraces, kFioIologTraces, kBlkparseTraces,
    kBlkreplayTraces, kDiskmonTraces, kDisksimTraces, kMqsimTraces, kVscsiTraces, kAlibabaTraces,
    kTencentTraces, kSystor17Traces, kFiuTraces, kBiosnoopTraces;

template <typename Reader>
[[nodiscard]] std::unique_ptr<TraceReader> make_reader(LineReader lines) {
    return std::make_unique<Reader>(std::move(lines));
}

template <bool (*IsLine)(std::string_view)>
[[nodiscard]] bool any_line(const std::vector<std::string_view>& lines) {
    return std::any_of(lines.begin(), lines.end(), IsLine);
}

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
