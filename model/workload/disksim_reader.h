#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

/// The ASCII form of DiskSim (Bucy, Schindler, Schlosser, Ganger, "The DiskSim Simulation
/// Environment", reference manual, input traces): five numbers between blanks, arrival time in
/// milliseconds, device, first block of 512 bytes, blocks, flags in hexadecimal of which bit 0 is
/// set for a read. Time counts from the first line.
[[nodiscard]] bool is_disksim_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_disksim_reader(LineReader lines);
extern const TraceOutput kDisksimOutput;

} // namespace cavern
