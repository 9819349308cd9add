#include "results/run_results.h"
#include "timed/channel/ecc.h"

namespace cavern {

void add_ecc_fields(ObjectFields<RunResults>& summary) {
    const auto ecc = [](const RunResults& run) {
        return run.timed == nullptr ? nullptr : run.timed->ecc();
    };
    summary
        .object("ecc", "The ECC engines of all channels since warm-up.",
                ObjectFields<Ecc>().counters<Ecc::Statistics>(
                    [](const Ecc& all) -> const Ecc::Statistics& { return all.statistics(); }),
                ecc)
        .present("ecc.engine = \"per-channel\", in a run with time",
                 [ecc](const RunResults& run) { return ecc(run) != nullptr; });
}

} // namespace cavern
