#pragma once

#include <string>

#include "firmware/lookup/host/run_settings.h"

namespace cavern::lookup {

/// The bytes that the cache of a run takes on the processor, where pointers have four: what the
/// look-ups differ in. Frames, list heads, tree.
struct LookUpMemory {
    std::uint64_t frames = 0;
    std::uint64_t heads = 0;
    std::uint64_t tree = 0; ///< of as many nodes as were needed
};

LookUpMemory memory_of(const session_settings& settings, const session_result& result);

/// Plays a run on the host. Throws ModelError, naming it, if an invariant does not hold at the end.
/// `log`, where given, gets the accesses; `seconds` the time of this machine's processor that the
/// records took.
session_result play_on_host(const session_settings& settings, access_log* log = nullptr,
                            double* seconds = nullptr);

/// summary.json of a run. `host_seconds` < 0: it was not played on the host.
std::string summary_json(const RunSettings& settings, const RunSources& sources,
                         const session_result& result, double host_seconds);

/// The workload as a trace of the form "csv", into the file `path`: a request for each record that
/// is read or written, 25 us apart.
void write_trace(const session_settings& settings, const std::string& path);

} // namespace cavern::lookup
