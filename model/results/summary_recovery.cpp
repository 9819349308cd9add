#include "results/run_results.h"

namespace cavern {

void add_recovery_fields(ObjectFields<RunResults>& summary) {
    ObjectFields<RunResults> fields;
    fields
        .counters<RecoveryCounters>(
            [](const RunResults& run) -> const RecoveryCounters& { return *run.facts.recovery; })
        .laws({
            "flushed <= acknowledged",
            "recovered <= acknowledged <= recovered + lost_unflushed + lost_flushed + corrupt",
            "time_ns - 1 <= scan_ns + rebuild_ns <= time_ns + 1",
            "full_scans <= cuts",
            "if cuts = 0: acknowledged + recovered + torn_pages + drained_pages + time_ns = 0",
        });
    summary
        .object("recovery",
                "What became of the drive's data when its power was cut, of all cuts together "
                "(docs/power-loss.md).",
                fields, itself)
        .present("power_loss.at, power_loss.cuts or power_loss.on_signal",
                 [](const RunResults& run) { return run.facts.recovery.has_value(); });
}

} // namespace cavern
