#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

/// The form of the MSR Cambridge traces (Narayanan, Donnelly, Rowstron, "Write Off-Loading", FAST
/// 2008): `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, the timestamp a Windows
/// filetime in units of 100 ns, type Read or Write, offset and size in bytes. The first line of the
/// trace is time zero; response times are not used. A device is a host and a disk, "prxy_0".
[[nodiscard]] bool is_msr_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_msr_reader(LineReader lines);
extern const TraceOutput kMsrOutput;

} // namespace cavern
