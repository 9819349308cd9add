#include "results/run_results.h"

namespace cavern {

void add_recovery_fields(ObjectFields<RunResults>& summary) {
    ObjectFields<RunResults> fields;
    fields.counters<RecoveryCounters>(
        [](const RunResults& run) -> const RecoveryCounters& { return *run.facts.recovery; });
    summary
        .object("recovery",
                "What became of the drive's data when its power was cut, of all cuts together "
                "(docs/power-loss.md).",
                fields, itself)
        .present("power_loss.at, power_loss.cuts or power_loss.on_signal",
                 [](const RunResults& run) { return run.facts.recovery.has_value(); });
}

} // namespace cavern
