#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

/// An iolog of fio ("Trace file format v2" and "v3" in its manual). The first line is
/// `fio version 2 iolog` or `fio version 3 iolog`; then `FILE ACTION [OFFSET LENGTH]`, in version 3
/// after a time in microseconds from the start of the run. Actions: read, write, trim, sync and
/// datasync (both a flush), add, open and close (nothing happens), in version 2 also wait with the
/// microseconds that pass. Each file is a device, called "FILE_0".
[[nodiscard]] bool is_fio_iolog_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_fio_iolog_reader(LineReader lines);
extern const TraceOutput kFioIologOutput;

} // namespace cavern
