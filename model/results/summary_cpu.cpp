#include "results/run_results.h"

namespace cavern {
namespace {

const Processors* processors_of(const RunResults& run) {
    return run.timed == nullptr ? nullptr : run.timed->buffer_manager().processors();
}

ObjectFields<RunResults> cpu_fields() {
    ObjectFields<RunResults> fields;
    fields
        .counters<Processors::Statistics>(
            [](const RunResults& run) -> const Processors::Statistics& {
                return processors_of(run)->statistics();
            })
        .value("utilization", "share", "Share of the simulated time that a processor was busy.",
               [](const RunResults& run) {
                   const Processors& all = *processors_of(run);
                   return share(all.statistics().busy, run.span * all.count());
               });
    return fields;
}

} // namespace

void add_cpu_fields(ObjectFields<RunResults>& summary) {
    summary.object("cpu", "The processors of the controller since warm-up.", cpu_fields(), itself)
        .present("cpu.model other than \"none\", in a run with time",
                 [](const RunResults& run) { return processors_of(run) != nullptr; });
}

} // namespace cavern
