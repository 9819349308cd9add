#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/config_loader.h"
#include "core/recovery/recovery_counters.h"
#include "drive/ssd.h"
#include "drive/untimed_drive.h"
#include "results/field_info.h"
#include "results/host_shares.h"
#include "results/run_identity.h"
#include "sampling/sampled_run.h"

namespace cavern {

/// Measurements of a run about itself rather than about the drive.
struct RunFacts {
    bool complete = true;
    RunIdentity identity; ///< its files excepted
    double wall_seconds = 0;
    std::uint64_t kernel_events = 0; ///< delta cycles the SystemC kernel ran
    std::uint64_t facts_checked = 0;
    const Sample* sample = nullptr;           ///< null: all was measured, or nothing
    const HostShares* shares = nullptr;       ///< null: one job, one queue
    std::optional<RecoveryCounters> recovery; ///< nothing: the power was not cut
    std::string fault; ///< the first page that a cut has cost, as a sentence; empty: none
};

/// The summary of a finished run, schema "cavern.summary/1": times in ns, sizes in bytes, fields in
/// a fixed order. set_files() completes it.
[[nodiscard]] nlohmann::ordered_json make_summary(const Ssd& ssd, const ResolvedConfig& resolved,
                                                  const RunFacts& facts);

/// The summary of a run without time: times are zero, and what only time has (channels, dies,
/// SDRAM) is empty or absent.
[[nodiscard]] nlohmann::ordered_json
make_summary(const UntimedDrive& drive, const ResolvedConfig& resolved, const RunFacts& facts);

/// Every field that a summary can have, in its order.
[[nodiscard]] const std::vector<FieldInfo>& summary_fields();

/// And what holds between them; `rows` in a law are RequestLaws::totals().
[[nodiscard]] const std::vector<LawInfo>& summary_laws();

/// Whether a run verifies the laws of all that it writes.
[[nodiscard]] bool checks_laws();

/// Throws ModelError that names the first law broken. `rows` may be null: there are none.
void check_summary(const nlohmann::ordered_json& summary, const nlohmann::ordered_json* rows);

/// docs/summary-fields.md, whole.
[[nodiscard]] std::string summary_markdown();

/// JSON Schema of a summary.
[[nodiscard]] nlohmann::ordered_json summary_schema();

} // namespace cavern
