#include "firmware/decision_lockstep.h"
#include "results/run_results.h"

namespace cavern {
namespace {

const Processors* processors_of(const RunResults& run) {
    return run.timed == nullptr ? nullptr : run.timed->buffer_manager().processors();
}

const DecisionLockstep* lockstep_of(const RunResults& run) {
    return dynamic_cast<const DecisionLockstep*>(run.core.listener());
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

ObjectFields<DecisionLockstep> lockstep_fields() {
    ObjectFields<DecisionLockstep> fields;
    fields
        .value("decisions_compared", "decisions",
               "Decisions of core and firmware that were compared and are the same, "
               "preconditioning included.",
               [](const DecisionLockstep& lockstep) { return lockstep.calls(); })
        .value("operations_compared", "operations", "Flash operations in those decisions.",
               [](const DecisionLockstep& lockstep) { return lockstep.operations(); });
    return fields;
}

const ProcessorFirmware* firmware_of(const RunResults& run) {
    return run.timed == nullptr ? nullptr : run.timed->firmware();
}

ObjectFields<ProcessorFirmware> firmware_fields() {
    ObjectFields<ProcessorFirmware> fields;
    fields
        .value("instructions", "instructions", "Instructions that the firmware took.",
               [](const ProcessorFirmware& firmware) { return firmware.statistics().instructions; })
        .value("requests", "requests",
               "Requests that the firmware was asked: commands, and collection ahead of need.",
               [](const ProcessorFirmware& firmware) { return firmware.statistics().requests; })
        .value("line_misses", "lines", "Lines of the SDRAM that the line cache fetched.",
               [](const ProcessorFirmware& firmware) { return firmware.statistics().line_misses; });
    return fields;
}

ObjectFields<RunResults> cpu_fields() {
    ObjectFields<RunResults> fields;
    fields
        .include(
            processor_fields(),
            [](const RunResults& run) { return processors_of(run) != nullptr ? &run : nullptr; },
            "cpu.model other than \"none\", in a run with time")
        .include(firmware_fields(), firmware_of,
                 "cpu.model = \"iss\", \"rtl\" or \"lockstep\", in a run with time")
        .include(lockstep_fields(), lockstep_of, "cpu.decides = \"lockstep\"");
    return fields;
}

} // namespace

void add_cpu_fields(ObjectFields<RunResults>& summary) {
    summary
        .object("cpu", "The processors of the controller since warm-up, and their firmware.",
                cpu_fields(), itself)
        .present("cpu.model other than \"none\", in a run with time; or cpu.decides = \"lockstep\"",
                 [](const RunResults& run) {
                     return processors_of(run) != nullptr || lockstep_of(run) != nullptr;
                 });
}

} // namespace cavern
