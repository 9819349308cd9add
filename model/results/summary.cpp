#include "results/summary.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "config/config_show.h"
#include "results/request_rows.h"
#include "results/run_results.h"
#include "results/serve_summary.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummarySchema = "cavern.summary/1";

constexpr std::string_view kLawsExplained =
    "A name stands for a field of the object that the\n"
    "law is of, or of the whole file. `[]` is each element of an array, `known(x)` is 0 where x is "
    "null or absent, and a law\n"
    "that names something else that is null or absent says nothing. Whole numbers are exact. Times "
    "are rounded to a nanosecond:\n"
    "this is why a law may leave room for 1. Every number is at least 0 and below 2^63, and a "
    "share is at most 1, unless its\n"
    "sentence says otherwise. A run with `CAVERN_CHECK_LAWS=1` in its environment verifies all of "
    "this, and ends with exit\n"
    "status 1 where something is broken; so does every run of a debug build.\n\n";

/// The peak of this program: getrusage() alone would count what its parent held when it forked.
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
               "End of the simulation: the last thing that happened; 0 in a run without time, and "
               "host.window_ns in a sampled one.",
               [](const RunResults& run) { return to_ns(run.end); })
        .value("measured_ns", "ns",
               "The part of simulated_ns since warm-up, of which utilizations, mean power and "
               "bandwidth of the SDRAM are.",
               [](const RunResults& run) { return to_ns(run.span); })
        .value("wall_s", "s", "Time that the run took.",
               [](const RunResults& run) { return run.facts.wall_seconds; })
        .measured()
        .value("requests", "requests", "Commands of the host that were answered.",
               [](const RunResults& run) { return run.requests; })
        .value("warmup_requests", "requests",
               "Of these, requests of the warm-up, which no other section counts.",
               [](const RunResults& run) { return run.requests - counted_requests(run); })
        .value("requests_per_wall_s", "1/s", "Commands of the host answered per second of wall_s.",
               [](const RunResults& run) { return per_wall_second(run, run.requests); })
        .measured()
        .value("flash_ops", "operations",
               "Flash operations that completed: reads and programs of NAND pages, erases of "
               "blocks; in a run without time a read of a mapping unit is one.",
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
        .value("fidelity", "",
               "Whether the run had time: at (it had), sampled (windows of it had) or untimed (key "
               "fidelity).",
               [](const RunResults& run) {
                   switch (run.config().fidelity) {
                   case Fidelity::kUntimed:
                       return "untimed";
                   case Fidelity::kSampled:
                       return "sampled";
                   case Fidelity::kApproximatelyTimed:
                       break;
                   }
                   return "at";
               })
        .laws({
            "measured_ns <= simulated_ns",
            "if fidelity = \"untimed\": simulated_ns + kernel_events = 0",
            "if run.input.warmup = 0 and run.input.kind = \"trace\": warmup_requests = 0",
            "if run.input.warmup = 0 and run.input.kind = \"trace\": measured_ns = simulated_ns",
            "host.read.count + host.write.count + host.trim.count + host.flush.count + "
            "host.zone.count + warmup_requests = requests",
            "if wall_s != 0: requests_per_wall_s * wall_s = requests",
            "if wall_s != 0: flash_ops_per_wall_s * wall_s = flash_ops",
            "sum(dies[].reads) + sum(dies[].programs) + sum(dies[].erases) <= flash_ops",
            "if fidelity = \"at\" and measured_ns = simulated_ns and warmup_requests = 0: "
            "flash_ops = sum(dies[].reads) + sum(dies[].programs) + sum(dies[].erases)",
            "flash.reads + flash.programs + flash.erases <= flash_ops",
            "if warmup_requests = 0: flash.reads + flash.programs + flash.erases = flash_ops",
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
               [](const RunResults&) { return std::uint64_t{0}; })
        .laws({"violations = 0"});
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
                 [](const RunResults& run) { return config_json(run.resolved); })
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
    add_sampled_fields(fields);
    add_period_fields(fields);
    add_device_fields(fields);
    add_ecc_fields(fields);
    add_cpu_fields(fields);
    add_energy_fields(fields);
    add_data_fields(fields);
    add_recovery_fields(fields);
    fields.object("checks", "What the model checked of itself.", check_fields(), itself);
    add_laws_between_sections(fields);
    return fields;
}

const ObjectFields<RunResults>& fields_of_summary() {
    static const ObjectFields<RunResults> fields = all_fields();
    return fields;
}

/// That dies have done in the whole run.
std::uint64_t operations_of(const Ssd& ssd) {
    std::uint64_t all = 0;
    for (std::uint32_t die = 0; die < ssd.config().nand.geometry.dies(); ++die) {
        all += ssd.die(DieId{die}).operations();
    }
    return all;
}

} // namespace

Json make_summary(const Ssd& ssd, const ResolvedConfig& resolved, const RunFacts& facts) {
    const TimePs end = now_ps();
    return fields_of_summary().json({resolved, facts, ssd.core(), ssd.array(), ssd.preconditioned(),
                                     &ssd, nullptr, end, end - ssd.statistics_since(),
                                     ssd.host().completed(), operations_of(ssd)});
}

Json make_summary(const UntimedDrive& drive, const ResolvedConfig& resolved,
                  const RunFacts& facts) {
    RunResults run{resolved,
                   facts,
                   drive.core(),
                   drive.array(),
                   drive.preconditioned(),
                   nullptr,
                   &drive,
                   0,
                   0,
                   drive.completed(),
                   drive.flash_ops()};
    run.span = estimated_span(run);
    run.end = run.span;
    return fields_of_summary().json(run);
}

const std::vector<FieldInfo>& summary_fields() {
    return fields_of_summary().infos();
}

const std::vector<LawInfo>& summary_laws() {
    return fields_of_summary().laws();
}

bool checks_laws() {
#ifdef NDEBUG
    static const bool asked = std::getenv("CAVERN_CHECK_LAWS") != nullptr;
    return asked;
#else
    return true;
#endif
}

void check_summary(const Json& summary, const Json* rows) {
    Json whole = summary;
    if (rows != nullptr) {
        whole["rows"] = *rows;
    }
    check_bounds(summary_fields(), whole);
    check_laws(summary_laws(), whole);
}

std::string summary_markdown() {
    return "# Fields of summary.json\n\n"
           "`./cavern results list --markdown` prints this file from the declarations in the code. "
           "`./cavern results schema`\nprints them as a JSON Schema. "
           "[read-a-report.md](read-a-report.md) explains how to read the results.\n\n"
           "Times are simulated unless the sentence says otherwise. A field is present in every "
           "run "
           "unless the last column names\nits condition. \"Since warm-up\" means from the moment "
           "when request N is sent, with `--warmup N`; without it, from the\nstart.\n\n"
           "Below a table stand the laws of its fields: what holds in every run. " +
           std::string(kLawsExplained) + fields_markdown(summary_fields(), summary_laws()) +
           "\n## requests.csv\n\n"
           "Columns of the file that `--requests` writes, a line for each request from the end of "
           "the warm-up on, in the order of\nanswers. In laws, `before` is the row before, and "
           "`rows.R.size` is the sum of the column `size` over all rows whose `op`\nis R, "
           "`rows.R.count` their number.\n\n" +
           fields_markdown(request_columns(), request_laws()) +
           "\n## serve.json\n\n"
           "What `./cavern serve` says about the server itself. `./cavern results schema "
           "serve.json` "
           "prints its JSON Schema.\n\n" +
           fields_markdown(serve_fields(), {}, "serve.json, ");
}

Json summary_schema() {
    Json schema = schema_of_file("summary.json of a Cavern run", summary_fields());
    schema["properties"]["schema"]["const"] = kSummarySchema;
    return schema;
}

} // namespace cavern
