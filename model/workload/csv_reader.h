#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

/// This project's own form. The first line that is no comment is the header
/// `time_us,op,offset,size`; then one request a line: time in microseconds from the start of the
/// workload with up to six digits after the point, op R W T (trim) F (flush) in either case, offset
/// and size in bytes; a flush has size 0.
[[nodiscard]] bool is_csv_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_csv_reader(LineReader lines);
extern const TraceOutput kCsvOutput;

} // namespace cavern
