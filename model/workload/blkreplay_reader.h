#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload/trace_reader.h"

namespace cavern {

/// The .load form of blkreplay (Schoebel-Theuer): after a text, `start ; sector ; length ; op ;
/// replay_delay ; replay_duration` with start in seconds, sector and length in units of 512 bytes,
/// op R or W (flags may follow, as in RA); the two last fields are not used. Time counts from the
/// first line.
[[nodiscard]] bool is_blkreplay_trace(const std::vector<std::string_view>& lines);
[[nodiscard]] std::unique_ptr<TraceReader> make_blkreplay_reader(LineReader lines);

} // namespace cavern
