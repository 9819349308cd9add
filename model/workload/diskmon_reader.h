#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_reader.h"

namespace cavern {

/// The log of Sysinternals DiskMon: number, time in seconds, duration, disk, Read or Write, sector,
/// sectors of 512 bytes, between tabs. A sector that no disk can have (an offset of 2^63 bytes or
/// more) is an artefact of the driver and skipped. Time counts from the first line kept.
[[nodiscard]] bool is_diskmon_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_diskmon_reader(LineReader lines);

} // namespace cavern
