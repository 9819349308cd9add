#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_reader.h"

namespace cavern {

/// The text that blkparse(1) prints by default: device as `major,minor`, CPU, sequence number, time
/// in seconds, process, action, kind, first sector, `+`, sectors, process name. Of the actions the
/// requests issued to the driver (D) count, or, where the head of the trace has none, those queued
/// (Q). Kinds with D are trims; a kind that begins with F gives a flush first. The per-CPU
/// order of the text is undone within 1024 lines. A time beyond 106 days is an artefact of the
/// tracer and skipped. Time counts from the first request. Devices are called "8_33".
[[nodiscard]] bool is_blkparse_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_blkparse_reader(LineReader lines);

} // namespace cavern
