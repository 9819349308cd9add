#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

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
    kBlkreplayTraces, kDiskmonTraces, kDisksimTraces, kMqsimTraces, kVscsiTraces;

template <typename Reader>
[[nodiscard]] std::unique_ptr<TraceReader> make_reader(LineReader lines) {
    return std::make_unique<Reader>(std::move(lines));
}

template <bool (*IsLine)(std::string_view)>
[[nodiscard]] bool any_line(const std::vector<std::string_view>& lines) {
    return std::any_of(lines.begin(), lines.end(), IsLine);
}

} // namespace cavern
