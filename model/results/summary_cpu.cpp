#include "results/run_results.h"

namespace cavern {
namespace {

const Processors* processors_of(const RunResults& run) {
    return run.timed == nullptr ? nullptr : run.timed->buffer_manager().processors();
}

const ComparedDecisions* compared_in(const RunResults& run) {
    return run.core.listener() == nullptr ? nullptr : run.core.listener()->compared();
}

ObjectFields<RunResults> processor_fields() {
    ObjectFields<RunResults> fields;
    fields
        .counters<Processors::Statistics>(
            [](const RunResults& run) { return processors_of(run)->statistics(); })
        .value("utilization", "share", "Share of sim.measured_ns that a processor was busy.",
               [](const RunResults& run) {
                   const Processors& all = *processors_of(run);
                   return share(all.statistics().busy, run.span * all.count());
               })
        .laws({"busy_ns <= config.cpu.cores * sim.measured_ns",
               "busy_ns - config.cpu.cores <= utilization * config.cpu.cores * sim.measured_ns <= "
               "busy_ns + config.cpu.cores"});
    return fields;
}

ObjectFields<ComparedDecisions> compared_fields() {
    ObjectFields<ComparedDecisions> fields;
    fields
        .value("decisions_compared", "decisions",
               "Decisions of core and firmware that were compared and are the same, "
               "preconditioning included.",
               [](const ComparedDecisions& compared) { return compared.calls; })
        .value("operations_compared", "operations", "Flash operations in those decisions.",
               [](const ComparedDecisions& compared) { return compared.operations; });
    return fields;
}

using Executed = DecisionCostIf::Executed;

std::optional<Executed> executed_in(const RunResults& run) {
    const DecisionCostIf* cost = run.timed == nullptr ? nullptr : run.timed->decision_cost();
    return cost == nullptr ? std::nullopt : cost->executed();
}

ObjectFields<Executed> executed_fields() {
    ObjectFields<Executed> fields;
    fields
        .value("instructions", "instructions", "Instructions that the firmware took.",
               [](const Executed& executed) { return executed.instructions; })
        .value("requests", "requests",
               "Requests that the firmware was asked: commands, and collection ahead of need.",
               [](const Executed& executed) { return executed.requests; })
        .value("line_misses", "lines", "Lines of the SDRAM that the line cache fetched.",
               [](const Executed& executed) { return executed.line_misses; });
    return fields;
}

ObjectFields<RunResults> cpu_fields() {
    ObjectFields<RunResults> fields;
    fields
        .include(
            processor_fields(),
            [](const RunResults& run) { return processors_of(run) != nullptr ? &run : nullptr; },
            "cpu.model other than \"none\", in a run with time")
        .include(executed_fields(), executed_in,
                 "cpu.model = \"iss\", \"rtl\" or \"lockstep\", in a run with time")
        .include(compared_fields(), compared_in, "cpu.decides = \"lockstep\"");
    return fields;
}

} // namespace

void add_cpu_fields(ObjectFields<RunResults>& summary) {
    summary
        .object("cpu", "The processors of the controller since warm-up, and their firmware.",
                cpu_fields(), itself)
        .present("cpu.model other than \"none\", in a run with time; or cpu.decides = \"lockstep\"",
                 [](const RunResults& run) {
                     return processors_of(run) != nullptr || compared_in(run) != nullptr;
                 });
}

} // namespace cavern
