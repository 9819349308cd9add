#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/statistics.h"
#include "results/summary.h"

namespace cavern {

/// The digest that a person sees after a run: requests and data per second, write amplification,
/// latencies, what buffer and flash did, and the warnings of the summary.
[[nodiscard]] std::string console_report(const Ssd& ssd, const RunFacts& facts,
                                         const nlohmann::ordered_json& summary);
[[nodiscard]] std::string console_report(const UntimedDrive& drive, const RunFacts& facts,
                                         const nlohmann::ordered_json& summary);

/// The line of one kind of request, in us; empty where there was none. A percentile that fewer than
/// ten requests lie beyond is "-".
[[nodiscard]] std::string latency_text(const char* label, const Histogram& latency);

/// A line for each file of a run that is so large that somebody might want less of it. The summary
/// names its files.
[[nodiscard]] std::string large_files_text(const nlohmann::ordered_json& summary);

} // namespace cavern
