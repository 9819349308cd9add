#include "app/commands.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/output_folder.h"
#include "app/places.h"
#include "app/standard_output.h"
#include "app/trace_info.h"
#include "config/file_names.h"
#include "core/base/error.h"
#include "workload/column_reader.h"
#include "workload/filters.h"
#include "workload/fio_job_file.h"
#include "workload/fio_source.h"
#include "workload/fio_values.h"
#include "workload/fit.h"
#include "workload/generator.h"
#include "workload/line_reader.h"
#include "workload/open_trace.h"
#include "workload/trace_statistics.h"
#include "workload/trace_writer.h"

namespace cavern {
namespace {

struct TraceCommandOptions {
    std::string input;
    std::string output;
    std::string format; ///< of the input; empty: detected
    std::string device;
    std::string columns;
    std::string to = "csv";
    std::string workload;
    std::string json;
    std::string save;
    std::optional<std::uint64_t> limit;
    std::uint64_t seed = 1;
    bool fit = false;
    bool lossy = false;
    bool no_reuse = false;
};

constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::string input_formats() {
    std::string names;
    for (const TraceFormat& format : trace_formats()) {
        names += (names.empty() ? "" : " ") + std::string(format.name);
    }
    return names;
}

std::string output_formats() {
    std::string names;
    for (const TraceFormat& format : trace_formats()) {
        if (format.output != nullptr) {
            names += (names.empty() ? "" : " ") + std::string(format.name);
        }
    }
    return names;
}

std::string check_positive(const std::string& text) {
    const bool digits = !text.empty() && text.size() <= 18 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::string() : "\"" + text + "\" is no whole number from 0 to 10^18 - 1";
}

void add_reading(CLI::App& command, TraceCommandOptions& options) {
    command
        .add_option("--format", options.format,
                    "format of FILE, instead of detecting it: " + input_formats())
        ->type_name("NAME");
    add_columns_option(command, options.columns);
    command.add_option("--device", options.device, "reads only this device, such as 3 or prxy_0")
        ->type_name("NAME");
    command.add_option("--limit", options.limit, "takes only the first N requests")
        ->check(check_positive)
        ->type_name("N");
}

void add_writing(CLI::App& command, TraceCommandOptions& options) {
    command.add_option("--to", options.to, "format written: " + output_formats())
        ->type_name("NAME")
        ->capture_default_str();
    command.add_flag("--lossy", options.lossy,
                     "leaves out trims and flushes, rounds to sectors, where the format needs it");
}

/// A trace's requests with what a first pass found.
struct OpenedTrace {
    TraceInfo info;
    std::unique_ptr<TraceReader> reader;
};

TraceOptions reading(const TraceCommandOptions& options) {
    return {require_file(kTraces, options.input), options.format, options.device, options.columns};
}

OpenedTrace open_twice(const TraceCommandOptions& options) {
    const TraceOptions trace = reading(options);
    const std::optional<TraceInfo> info = scan_trace(trace, options.limit.value_or(kAll));
    std::error_code error;
    if (!info && std::filesystem::is_directory(trace.path, error)) {
        throw UserError(trace.path, 1, "is a folder", "give the path of a trace");
    }
    if (!info) {
        throw UserError(options.input == "-" ? "<stdin>" : options.input, 1,
                        "the trace is read twice, which a pipe does not allow", "give a file");
    }
    return {*info, open_trace(trace, &*info)};
}

struct Named {
    const char* name;
    std::string path;
};

/// The folder of the output, which is no input.
std::filesystem::path check_places(const Named& input, const Named& output) {
    Places places;
    places.reads(input.name, input.path);
    places.writes(output.name, output.path);
    places.check();
    return std::filesystem::path(output.path).parent_path();
}

int info(const TraceCommandOptions& options) {
    const std::string& json = options.json;
    const std::filesystem::path folder =
        check_places({"FILE", find_file(kTraces, options.input)}, {"--json", json});
    const OpenedTrace trace = open_twice(options);
    TraceSubject subject{options.input,
                         std::string(trace.info.format),
                         trace.info.inversions,
                         trace.info.skipped,
                         {}};
    for (const DeviceMap::Device& device : trace.info.devices.devices()) {
        subject.devices.push_back(device_name(device.host, device.number));
    }
    TraceStatistics statistics(trace.info.last_arrival + 1, trace.info.end, trace.info.devices,
                               !options.no_reuse);
    std::uint64_t left = options.limit.value_or(kAll);
    for (HostRequest request; left > 0 && trace.reader->next(request); --left) {
        statistics.add(request);
    }
    if (!json.empty()) {
        MadeFolder made(folder);
        OutputFile file(json);
        file.print("{}\n", trace_info_json(subject, statistics).dump());
        file.commit();
        made.keep();
    }
    if (json != kStandardOutput) {
        std::cout << trace_info_text(subject, statistics);
    }
    return 0;
}

/// The time of jobs that are written and not played: it passes as long as they wait for it.
struct WaitingTime {
    static TimePs now() { return now_; }
    static TimePs now_;
};
TimePs WaitingTime::now_ = 0;

/// Writes all of `source`; what was lost is said on stderr.
void write_all(RequestSourceIf& source, const PositionIf& position,
               const std::filesystem::path& folder, const TraceCommandOptions& options) {
    MadeFolder made(folder);
    TraceWriter writer(options.output, written_format(options.to), options.lossy);
    std::uint64_t left = options.limit.value_or(kAll);
    for (HostRequest request; left > 0;) {
        if (source.next(request)) {
            writer.write(request, position.position());
            source.answered(request.job); // jobs of a closed loop: at once
            --left;
        } else if (source.ask_again_at() != kNever) {
            WaitingTime::now_ = source.ask_again_at();
        } else {
            break;
        }
    }
    writer.commit();
    made.keep();
    if (writer.left_out() + writer.widened() > 0) {
        std::cerr << fmt::format(
            "cavern: {} requests written, {} left out, {} rounded to sectors\n", writer.written(),
            writer.left_out(), writer.widened());
    }
    if (writer.unmarked() > 0) {
        std::cerr << fmt::format("cavern: {} requests lost their stream, or FUA\n",
                                 writer.unmarked());
    }
}

int convert(const TraceCommandOptions& options) {
    static_cast<void>(written_format(options.to));
    const std::filesystem::path folder =
        check_places({"FILE", find_file(kTraces, options.input)}, {"OUT", options.output});
    const std::unique_ptr<TraceReader> reader = open_trace(reading(options));
    write_all(*reader, *reader, folder, options);
    return 0;
}

/// Writes the description of a target with a job that has it, and says how well.
int fit(const TraceCommandOptions& options, const std::string& workload,
        const std::filesystem::path& folder) {
    const std::string text = LineReader(workload).rest();
    const FitTarget target = parse_fit_target(text, workload);
    const Fit found = fit_job(target);
    const std::size_t before = std::min(text.find("# Fitted:"), text.find("[[job]]"));
    MadeFolder made(folder);
    OutputFile file(options.output);
    file.print("{}{}", text.substr(0, before), fit_to_toml(target, found));
    file.commit();
    made.keep();
    std::cerr << fmt::format("{:<20}{:>14}{:>14}{:>10}\n", "", "target", "reached", "error");
    for (const FitFigure& figure : found.figures) {
        std::cerr << fmt::format("{:<20}{:>14}{:>14}{:>9.2f}%\n", figure.name,
                                 fmt::format("{:.6g} {}", figure.target, figure.unit),
                                 fmt::format("{:.6g} {}", figure.reached, figure.unit),
                                 100 * figure.error());
    }
    return 0;
}

/// Jobs that need neither a drive nor its answers to come to an end.
FioJobs written_jobs(const std::string& path, const TraceCommandOptions& options) {
    FioJobs jobs = load_fio_job_file(path);
    for (const FioJob& job : jobs.jobs) {
        const auto fail = [&](const char* what, const char* right) {
            throw UserError(jobs.file, job.line, "job \"" + job.name + "\" " + what, right);
        };
        const bool whole = job.size && !job.size->percent && !job.offset.percent;
        if (!whole && !job.file_size) {
            fail("has no size of its own",
                 "there is no drive here: say size in bytes, such as size=1g");
        }
        if (job.time_based && !job.paced() && !options.limit) {
            fail("goes on until its runtime is over, and there is no drive that takes time",
                 "give --limit, or a rate");
        }
    }
    return jobs;
}

int generate(const TraceCommandOptions& options) {
    const std::string workload = require_file(kWorkloads, options.workload);
    const std::filesystem::path folder =
        check_places({"WORKLOAD", workload}, {"OUT", options.output});
    if (options.fit) {
        return fit(options, workload, folder);
    }
    static_cast<void>(written_format(options.to));
    if (is_fio_job_file(workload)) {
        FioSource source(written_jobs(workload, options), kMaxWhole, false, options.seed,
                         WaitingTime::now);
        write_all(source, source, folder, options);
        return 0;
    }
    Generator generator(load_generator_spec(workload), options.seed);
    write_all(generator, generator, folder, options);
    return 0;
}

} // namespace

void add_columns_option(CLI::App& command, std::string& columns) {
    command
        .add_option("--columns", columns,
                    std::string("reads a table of another kind: ") + kColumnsForm)
        ->type_name("LIST");
}

void add_trace_command(CLI::App& app, Action& chosen) {
    const auto options = std::make_shared<TraceCommandOptions>();
    CLI::App* trace = app.add_subcommand("trace", "describes, converts or makes traces");
    trace->require_subcommand(1);
    CLI::App* info_command = trace->add_subcommand("info", "describes a trace");
    info_command
        ->add_option("FILE", options->input,
                     "trace, packed or not, or the name of one that comes with it")
        ->required();
    add_reading(*info_command, *options);
    name_output(info_command->add_option(
        "--json", options->json, "also writes everything here, for a picture; - prints it alone"));
    info_command->add_flag("--no-reuse", options->no_reuse,
                           "leaves out reuse distances, which is faster");

    CLI::App* convert_command =
        trace->add_subcommand("convert", "writes a trace in another format");
    convert_command->add_option("FILE", options->input, "trace, packed or not, or -")->required();
    name_output(convert_command->add_option("OUT", options->output, "file to write, or -"))
        ->required();
    add_reading(*convert_command, *options);
    add_writing(*convert_command, *options);

    CLI::App* generate_command =
        trace->add_subcommand("generate", "writes the requests of a workload");
    generate_command
        ->add_option("WORKLOAD", options->workload, "TOML with [[job]] tables, or a fio job file")
        ->required();
    name_output(generate_command->add_option("OUT", options->output, "file to write, or -"))
        ->required();
    add_writing(*generate_command, *options);
    generate_command->add_flag(
        "--fit", options->fit,
        "WORKLOAD has a table [target]: finds a job that has those statistics, "
        "writes both to OUT, prints target and fit");
    generate_command->add_option("--limit", options->limit, "takes only the first N requests")
        ->check(check_positive)
        ->type_name("N");
    generate_command->add_option("--seed", options->seed, "seed of jobs that have none")
        ->check(check_positive)
        ->type_name("N")
        ->capture_default_str();

    const auto runs = [&chosen, options](CLI::App& command,
                                         int (*run)(const TraceCommandOptions&)) {
        command.callback(
            [&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
    };
    runs(*info_command, info);
    runs(*convert_command, convert);
    runs(*generate_command, generate);
}

} // namespace cavern
