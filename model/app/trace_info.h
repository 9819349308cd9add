#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "workload/open_trace.h"
#include "workload/trace_statistics.h"

namespace cavern {

/// What a trace or workload is called and how it was read, beside its statistics.
struct TraceSubject {
    std::string name;
    std::string format;
    std::uint64_t inversions = 0;
    std::uint64_t skipped = 0;
    std::vector<std::string> devices; ///< empty where the format names none
};

/// The page that `cavern trace info` prints.
[[nodiscard]] std::string trace_info_text(const TraceSubject& subject,
                                          const TraceStatistics& statistics);
/// The same as an object "cavern.trace/1", with what a picture needs: times in ns, sizes in bytes.
[[nodiscard]] nlohmann::ordered_json trace_info_json(const TraceSubject& subject,
                                                     const TraceStatistics& statistics);

} // namespace cavern
