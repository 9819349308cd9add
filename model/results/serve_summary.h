#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/recovery/recovery_counters.h"
#include "results/field_info.h"

namespace cavern {

/// What became of the data at one cut of the power.
struct PowerCut {
    TimePs at = 0;
    RecoveryCounters pages; ///< of this cut alone
    TimePs back_after = 0;
};

/// What a server of a drive says about itself, beside the summary of the drive.
struct ServeFacts {
    std::string time; ///< as --time gave it
    std::uint64_t connections = 0;
    std::uint64_t connections_refused = 0;
    std::uint64_t connections_most = 0; ///< at once
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t short_wait_ns = 0;
    std::uint64_t long_wait_ns = 0;
    bool processors_awake = false;
    Histogram late_ns;
    std::optional<std::vector<PowerCut>> power_cuts; ///< nothing: the power is not cut
};

/// serve.json, schema "cavern.serve/1".
[[nodiscard]] nlohmann::ordered_json make_serve_summary(const ServeFacts& facts);
[[nodiscard]] const std::vector<FieldInfo>& serve_fields();
[[nodiscard]] nlohmann::ordered_json serve_schema();

} // namespace cavern
