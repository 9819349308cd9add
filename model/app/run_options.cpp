#include <CLI/CLI.hpp>
#include <string>
#include <tuple>

#include "app/commands.h"
#include "app/firmware_options.h"
#include "app/run.h"
#include "app/standard_output.h"
#include "core/base/units.h"

namespace cavern {
namespace {

/// "10ms" becomes the number of picoseconds, as text.
std::string as_picoseconds(const std::string& text) {
    const auto time = parse_quantity(text, Quantity::kTime);
    if (!time) {
        throw CLI::ValidationError("\"" + text + "\" is no time");
    }
    return std::to_string(*time);
}

std::string as_bytes(const std::string& text) {
    const auto bytes = parse_quantity(text, Quantity::kBytes);
    if (!bytes) {
        throw CLI::ValidationError("\"" + text + "\" is no size");
    }
    return std::to_string(*bytes);
}

/// CLI11 takes a minus sign for a large number.
std::string check_whole(const std::string& text) {
    const std::string largest = "9223372036854775807"; // of TOML, which has the seed
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (digits &&
        (text.size() < largest.size() || (text.size() == largest.size() && text <= largest))) {
        return {};
    }
    return "\"" + text + "\" is no whole number from 0 to " + largest;
}

/// The front door plays the seeds, and compares them: what comes here has not gone through it.
std::string check_repeat(const std::string& /*text*/) {
    return "the simulator plays one seed; ./cavern run plays several";
}

[[noreturn]] void refuse_alone() {
    throw CLI::ValidationError("--alone", "the simulator plays flows together; ./cavern run plays "
                                          "each");
}

void add_window(CLI::App& run, const std::string& name, TimeWindow& window, CLI::Option* needed,
                const std::string& from, const std::string& to) {
    for (const auto& [end, time, text] :
         {std::tuple{"-from", &window.begin, from + ", such as 10ms"},
          std::tuple{"-to", &window.end, to}}) {
        run.add_option(name + end, *time, "with " + name + ": leaves out " + text)
            ->transform(as_picoseconds)
            ->type_name("TIME")
            ->needs(needed);
    }
}

} // namespace

void add_run_command(CLI::App& app, RunOptions& options) {
    CLI::App* run = app.add_subcommand("run", "runs one simulation");
    run->add_option("CONFIG", options.config,
                    "drive description (TOML), or the name of one (cavern config drives)")
        ->required();
    run->add_option("--trace", options.traces,
                    "trace in any known format (.gz .xz .zst or plain), or the name of one that "
                    "comes with it; - is standard input. Several are flows at the same time, each "
                    "NAME=FILE")
        ->type_name("FILE")
        ->allow_extra_args(false);
    run->add_option("--format", options.format, "format of the trace, instead of detecting it")
        ->type_name("NAME");
    add_columns_option(*run, options.columns);
    run->add_option("--workload", options.workload,
                    "synthetic workload (TOML, or a fio job file), or the name of one that comes "
                    "with it")
        ->type_name("FILE");
    run->add_option("--flow", options.flow,
                    "plays this job, or trace of several, and leaves the others out")
        ->type_name("NAME");
    run->add_option("--set", options.overrides,
                    "overrides a configuration key, such as buffer.size=8MiB")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    for (const auto& [name, value, text] :
         {std::tuple{"--limit", &options.limit, "plays only the first N requests"},
          std::tuple{"--seed", &options.seed, "seed of everything random"}}) {
        run->add_option(name, *value, text)->check(check_whole)->type_name("N");
    }
    run->add_option("--warmup", options.warmup, "leaves the first N requests out of the statistics")
        ->check(check_whole)
        ->type_name("N");
    run->add_option("--repeat", "plays N seeds from --seed on: means with intervals of 95 %")
        ->check(check_repeat)
        ->type_name("N");
    run->add_flag_callback("--alone", refuse_alone,
                           "plays each flow by itself as well: what the others cost it");
    refuse_standard_output(
        run->add_option("--out", options.out, "folder of summary.json and config.toml")
            ->type_name("DIR")
            ->capture_default_str());
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        const RunFileRow& row = run_files()[i];
        const std::string name = std::string("--") + row.name;
        CLI::Option* option =
            run->add_option(name, options.files[i].path, row.help)->type_name("FILE");
        row.is(RunFileRow::kSignals) ? refuse_standard_output(option) : name_output(option);
        if (row.is(RunFileRow::kWindow)) {
            add_window(*run, name, options.files[i].window, option, "what starts earlier",
                       "what starts later");
        }
    }
    run->add_option("--load-state", options.load_state,
                    "begins with the drive that this file of --save-state holds, in place of "
                    "precondition.*")
        ->type_name("FILE");
    refuse_standard_output(run->add_option("--save-state", options.save_state,
                                           "saves the drive as it is at the end; with neither "
                                           "--trace nor --workload, once it is preconditioned")
                               ->type_name("FILE"));
    run->add_option("--state-cache", options.state_cache,
                    "keeps drives in this folder as they are once preconditioned, for all runs "
                    "that begin with the same (default: the environment's CAVERN_STATE_CACHE)")
        ->envname("CAVERN_STATE_CACHE")
        ->type_name("DIR");
    run->add_option("--state-cache-size", options.cache_bytes,
                    "the most that --state-cache may hold; what was used longest ago goes")
        ->transform(as_bytes)
        ->type_name("SIZE")
        ->default_str("16GiB");
    CLI::Option* trace = add_firmware_options(*run, "firmware-", options.firmware);
    add_window(*run, "--firmware-trace", options.firmware_trace_window, trace,
               "requests that the processor takes up earlier", "requests that it takes up later");
    CLI::Option* json =
        run->add_flag("--json", options.json, "prints summary.json instead of the report");
    run->add_flag("--quiet", options.quiet, "prints neither progress nor report")->excludes(json);
}

} // namespace cavern
