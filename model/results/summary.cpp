#include "results/summary.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "config/config_show.h"
#include "results/run_results.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummarySchema = "cavern.summary/1";

/// Dotted names become nested objects.
Json config_json(const RunResults& run) {
    Json config = Json::object();
    for (const auto& [name, text] : config_values(run.resolved)) {
        std::string pointer = "/" + name;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        config[Json::json_pointer(pointer)] = Json::parse(text);
    }
    return config;
}

/// Of this program: getrusage() alone would count what its parent held when it forked.
std::uint64_t peak_rss_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib) {
            return kib * 1024;
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double per_wall_second(const RunResults& run, std::uint64_t amount) {
    return ratio(static_cast<double>(amount), run.facts.wall_seconds);
}

ObjectFields<RunResults> sim_fields() {
    ObjectFields<RunResults> fields;
    fields
        .value("simulated_ns", "ns",
               "End of the simulation: the last thing that happened; 0 in a run without time.",
               [](const RunResults& run) { return to_ns(run.end); })
        .value("wall_s", "s", "Time that the run took.",
               [](const RunResults& run) { return run.facts.wall_seconds; })
        .measured()
        .value("requests", "requests", "Commands of the host that were answered.",
               [](const RunResults& run) { return run.requests; })
        .value("requests_per_wall_s", "1/s", "Commands of the host answered per second of wall_s.",
               [](const RunResults& run) { return per_wall_second(run, run.requests); })
        .measured()
        .value("flash_ops", "operations",
               "Flash operations that completed: page reads, page programs, block erases.",
               [](const RunResults& run) { return run.flash_ops; })
        .value("flash_ops_per_wall_s", "1/s", "Flash operations completed per second of wall_s.",
               [](const RunResults& run) { return per_wall_second(run, run.flash_ops); })
        .measured()
        .value("kernel_events", "delta cycles",
               "Delta cycles of the SystemC kernel; next to none where the drive's event queue "
               "runs ahead of it.",
               [](const RunResults& run) { return run.facts.kernel_events; })
        .value("peak_rss_bytes", "bytes", "Largest resident memory of the process.",
               [](const RunResults&) { return peak_rss_bytes(); })
        .measured()
        .value("fidelity", "", "Whether the run had time: at (it had) or untimed (key fidelity).",
               [](const RunResults& run) {
                   return run.config().fidelity == Fidelity::kUntimed ? "untimed" : "at";
               });
    return fields;
}

ObjectFields<RunResults> check_fields() {
    ObjectFields<RunResults> fields;
    fields
        .value("invariants_checked", "facts",
               "Single facts compared at the end of the run, and order rules that the array "
               "checked during it.",
               [](const RunResults& run) { return run.facts.facts_checked; })
        .value("violations", "facts",
               "Always 0: a violation ends the run with exit status 1 and leaves no summary.",
               [](const RunResults&) { return std::uint64_t{0}; });
    return fields;
}

ObjectFields<RunResults> all_fields() {
    ObjectFields<RunResults> fields;
    fields
        .value("schema", "", "Form of this file: cavern.summary/1.",
               [](const RunResults&) { return kSummarySchema; })
        .value("complete", "",
               "False when the run was interrupted; what was outstanding then has finished.",
               [](const RunResults& run) { return run.facts.complete; })
        .value("trace", "", "Trace or workload file, as given.",
               [](const RunResults& run) { return run.facts.identity.input.path; })
        .foreign("config",
                 "The resolved configuration, as nested objects; ./cavern config list has its "
                 "keys.",
                 config_json)
        .value("seed", "", "Seed of everything random.",
               [](const RunResults& run) { return run.config().seed; })
        .object("run", "What was run, by which program.", identity_fields(), itself)
        .object("sim", "The run itself, warm-up included.", sim_fields(), itself)
        .object("host", "What the host saw, from the end of the warm-up on.", host_fields(), itself)
        .object("buffer",
                "Decisions of the write buffer since warm-up, independent of timing unless a "
                "field says otherwise.",
                buffer_fields(), itself)
        .object("precondition",
                "How preconditioning went; null unless precondition.until = \"steady\".",
                precondition_fields(), steady_precondition)
        .object("ftl",
                "Decisions of the translation layer since warm-up, independent of timing. What a "
                "scheme does not do counts 0.",
                ftl_fields(), itself);
    add_device_fields(fields);
    add_ecc_fields(fields);
    add_cpu_fields(fields);
    add_energy_fields(fields);
    add_data_fields(fields);
    add_recovery_fields(fields);
    fields.object("checks", "What the model checked of itself.", check_fields(), itself);
    return fields;
}

const ObjectFields<RunResults>& fields_of_summary() {
    static const ObjectFields<RunResults> fields = all_fields();
    return fields;
}

} // namespace

Json make_summary(const Ssd& ssd, const ResolvedConfig& resolved, const RunFacts& facts) {
    const TimePs end = now_ps();
    return fields_of_summary().json({resolved, facts, ssd.core(), ssd.array(), ssd.preconditioned(),
                                     &ssd, nullptr, end, end - ssd.statistics_since(),
                                     ssd.host().completed(), ssd.scheduler().completed()});
}

Json make_summary(const UntimedDrive& drive, const ResolvedConfig& resolved,
                  const RunFacts& facts) {
    return fields_of_summary().json({resolved, facts, drive.core(), drive.array(),
                                     drive.preconditioned(), nullptr, &drive, 0, 0,
                                     drive.completed(), drive.flash_ops()});
}

const std::vector<FieldInfo>& summary_fields() {
    return fields_of_summary().infos();
}

std::string summary_markdown() {
    return "# Fields of summary.json\n\n"
           "`./cavern results list --markdown` prints this file from the declarations in the code. "
           "`./cavern results schema`\nprints them as a JSON Schema. "
           "[read-a-report.md](read-a-report.md) explains how to read the results.\n\n"
           "Times are simulated unless the sentence says otherwise. A field is present in every "
           "run "
           "unless the last column names\nits condition. \"Since warm-up\" means from the moment "
           "when request N is sent, with `--warmup N`; without it, from the\nstart.\n\n" +
           fields_markdown(summary_fields());
}

Json summary_schema() {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "summary.json of a Cavern run"}};
    schema.update(fields_schema(summary_fields()));
    schema["properties"]["schema"]["const"] = kSummarySchema;
    return schema;
}

} // namespace cavern
