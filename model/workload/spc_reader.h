#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_output.h"
#include "workload/trace_reader.h"

namespace cavern {

/// The form of the UMass repository (SPC trace file format, revision 1.0.1, Storage Performance
/// Council): `ASU,LBA,size,opcode,timestamp` with the application storage unit as device, LBA in
/// blocks of 512 bytes, size in bytes, opcode r R w W, timestamp in seconds from the start; further
/// fields are ignored.
[[nodiscard]] bool is_spc_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_spc_reader(LineReader lines);
extern const TraceOutput kSpcOutput;

} // namespace cavern
