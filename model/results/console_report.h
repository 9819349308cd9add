#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/summary.h"

namespace cavern {

/// What a person wants to see after a run: requests and data per second, write amplification,
/// latencies, what buffer and flash did, and the warnings of the summary.
[[nodiscard]] std::string console_report(const Ssd& ssd, const RunFacts& facts,
                                         const nlohmann::ordered_json& summary);
[[nodiscard]] std::string console_report(const UntimedDrive& drive, const RunFacts& facts,
                                         const nlohmann::ordered_json& summary);

/// A line for each file of a run that is so large that somebody might want less of it. The summary
/// names its files.
[[nodiscard]] std::string large_files_text(const nlohmann::ordered_json& summary);

} // namespace cavern
