#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

/// The ASCII form of MQSim and SSDsim: five whole numbers between blanks, arrival time in
/// nanoseconds, device, first sector of 512 bytes, sectors, 1 for a read and 0 for a write. Time
/// counts from the first line.
[[nodiscard]] bool is_mqsim_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_mqsim_reader(LineReader lines);
extern const TraceOutput kMqsimOutput;

} // namespace cavern
