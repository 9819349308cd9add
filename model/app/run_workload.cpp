#include "app/run_workload.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/file_names.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "results/progress.h"
#include "timed/tlm/time.h"
#include "workload/fio_job_file.h"
#include "workload/fio_source.h"
#include "workload/generator.h"
#include "workload/merged_traces.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

bool wraps(const SsdConfig& config) {
    return config.workload.wraps;
}

/// Where `name` is among the flows; nothing: all are played.
std::optional<std::size_t> place_of(const std::string& name,
                                    const std::vector<std::string>& flows) {
    if (name.empty()) {
        return std::nullopt;
    }
    const auto found = std::find(flows.begin(), flows.end(), name);
    if (found == flows.end() || std::find(found + 1, flows.end(), name) != flows.end()) {
        throw UserError("<command line>", 1,
                        fmt::format("--flow {} names {}", name,
                                    found == flows.end() ? "no flow" : "several flows"),
                        flows.empty() ? "there is one, without a name"
                                      : fmt::format("one of {}", fmt::join(flows, ", ")));
    }
    return static_cast<std::size_t>(found - flows.begin());
}

TraceOptions trace_options(const RunOptions& options, const SsdConfig& config,
                           const std::string& path) {
    return {require_file(kTraces, path), options.format, config.workload.device, options.columns};
}

std::optional<TraceInfo> scan(const RunOptions& options, const TraceOptions& trace,
                              std::uint64_t limit) {
    WaitDisplay display("reading the trace", options.quiet);
    std::optional<TraceInfo> info = scan_trace(
        trace, limit, [&display](std::uint64_t requests) { display.show(requests, "requests"); });
    display.clear();
    return info;
}

void open_trace_file(const RunOptions& options, const SsdConfig& config, const std::string& path,
                     std::uint64_t limit, Workload& workload) {
    (void)place_of(options.flow, {});
    const TraceOptions trace = trace_options(options, config, path);
    const std::optional<TraceInfo> info = scan(options, trace, limit);
    workload.source = open_trace(trace, info ? &*info : nullptr);
    if (info) {
        workload.requests = std::min(info->requests, limit);
        workload.require_within = [trace, info, limit](std::uint64_t capacity) {
            require_within(trace, *info, capacity, limit);
        };
    }
}

/// Several traces at the same time, each in a region of its own, which begins at a multiple of
/// DeviceMap::kAlignment.
void open_traces(const RunOptions& options, const SsdConfig& config, std::uint64_t limit,
                 Workload& workload) {
    const std::vector<TraceFlow> flows = traces_of(options);
    for (const TraceFlow& flow : flows) {
        workload.jobs.push_back(flow.name);
    }
    const std::optional<std::size_t> only = place_of(options.flow, workload.jobs);
    std::vector<MergedTraces::Flow> merged;
    std::uint64_t end = 0;
    std::uint64_t requests = 0;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
        const TraceOptions trace = trace_options(options, config, flows[flow].path);
        const std::optional<TraceInfo> info = scan(options, trace, ~std::uint64_t{0});
        if (!info) {
            throw UserError(trace.path, 1, "a pipe as one of several traces", "a file");
        }
        merged.push_back({nullptr, end});
        if (only.value_or(flow) == flow) {
            merged.back().reader = open_trace(trace, &*info);
            requests += info->requests;
        }
        constexpr std::uint64_t kAlignment = DeviceMap::kAlignment;
        end += (info->end + kAlignment - 1) / kAlignment * kAlignment;
    }
    workload.source = std::make_unique<MergedTraces>(std::move(merged));
    workload.requests = std::min(requests, limit);
    workload.require_within = [end](std::uint64_t capacity) {
        if (end > capacity) {
            throw UserError(
                "<command line>", 1,
                fmt::format("the traces reach to byte {} of a drive of {}", end, capacity),
                "a larger drive, or --set workload.out_of_range=wrap");
        }
    };
}

/// Which requests there are, or when, in a loop that waits for answers.
bool needs_time(const FioJob& job) {
    const auto any = [](const FioByDirection<std::uint64_t>& rates) {
        return std::any_of(rates.begin(), rates.end(),
                           [](std::uint64_t rate) { return rate != 0; });
    };
    return job.runtime || job.time_based || job.ramp_time != 0 || job.start_delay_most != 0 ||
           job.thinktime != 0 || job.flow_sleep != 0 || any(job.rate) || any(job.rate_iops);
}

/// Of jobs whose requests are answered at once.
std::uint64_t count(RequestSourceIf& source) {
    std::uint64_t requests = 0;
    for (HostRequest request; source.next(request); ++requests) {
        source.answered(request.job);
    }
    return requests;
}

void open_fio(const std::string& path, const RunOptions& options, const SsdConfig& config,
              Workload& workload) {
    const FioJobs jobs = load_fio_job_file(path);
    const FioJob* endless = jobs.endless();
    const bool has_time = config.fidelity == Fidelity::kApproximatelyTimed;
    if (endless != nullptr && !has_time && !options.limit) {
        throw UserError(jobs.file, endless->line,
                        "job \"" + endless->name +
                            "\" goes on until its runtime is over, and the "
                            "run has no time",
                        "give --limit, or --set fidelity=at");
    }
    workload.requests = options.limit;
    workload.closed_loop = true;
    workload.depth = jobs.iodepth();
    workload.ramp = has_time ? jobs.ramp() : 0;
    workload.notes = jobs.notes;
    for (const FioJob& job : jobs.jobs) {
        workload.jobs.push_back(job.name);
        if (needs_time(job)) {
            workload.needs_time = job.name;
        }
    }
    workload.place = [jobs, folds = wraps(config), seed = config.seed, has_time,
                      only = place_of(options.flow, workload.jobs)](std::uint64_t capacity) {
        return std::make_unique<FioSource>(jobs, capacity, folds, seed, has_time ? now_ps : nullptr,
                                           only);
    };
}

void open_generator(const std::string& path, const RunOptions& options, const SsdConfig& config,
                    std::uint64_t limit, Workload& workload) {
    const GeneratorSpec spec = load_generator_spec(path);
    const bool has_time = config.fidelity == Fidelity::kApproximatelyTimed;
    workload.requests = std::min(spec.requests(), limit);
    workload.closed_loop = spec.closed_loop();
    workload.depth = spec.iodepth();
    for (const JobSpec& job : spec.jobs) {
        workload.jobs.push_back(job.name);
        if (job.runtime && !job.paced()) {
            workload.needs_time = job.name;
        }
    }
    const std::optional<std::size_t> only = place_of(options.flow, workload.jobs);
    if (only) {
        workload.requests = std::min(spec.jobs[*only].requests(), limit);
    }
    workload.place = [spec, seed = config.seed, has_time, only](std::uint64_t) {
        return std::make_unique<Generator>(spec, seed, has_time ? now_ps : nullptr, only);
    };
    workload.require_within = [spec](std::uint64_t capacity) { require_within(spec, capacity); };
}

} // namespace

std::vector<TraceFlow> traces_of(const RunOptions& options) {
    std::vector<TraceFlow> flows;
    for (const std::string& word : options.traces) {
        const std::size_t equals = word.find('=');
        std::error_code none;
        const bool is_named = equals != 0 && equals < word.size() &&
                              (options.traces.size() > 1 || !std::filesystem::exists(word, none));
        flows.push_back(
            {is_named ? word.substr(0, equals) : "", is_named ? word.substr(equals + 1) : word});
        const auto same = [&flows](const TraceFlow& flow) {
            return flow.name == flows.back().name;
        };
        if (options.traces.size() > 1 &&
            (!is_named || std::count_if(flows.begin(), flows.end(), same) > 1)) {
            throw UserError("<command line>", 1,
                            is_named ? fmt::format("two traces named {}", flows.back().name)
                                     : fmt::format("--trace {} among several has no name", word),
                            "--trace NAME=FILE for each");
        }
    }
    return flows;
}

Workload open_workload(const RunOptions& options, const SsdConfig& config) {
    const std::vector<TraceFlow> traces = traces_of(options);
    if (traces.empty() == options.workload.empty()) {
        throw UserError("<command line>", 1,
                        traces.empty() ? "there is nothing to run"
                                       : "a trace and a workload exclude each other",
                        "give either --trace FILE or --workload FILE");
    }
    if (traces.empty() && !options.columns.empty()) {
        throw UserError("<command line>", 1, "--columns of a workload",
                        "give it with --trace FILE");
    }
    Workload workload;
    const std::uint64_t limit = options.limit.value_or(~std::uint64_t{0});
    if (traces.size() == 1) {
        open_trace_file(options, config, traces.front().path, limit, workload);
    } else if (!traces.empty()) {
        open_traces(options, config, limit, workload);
    } else {
        const std::string path = require_file(kWorkloads, options.workload);
        if (is_fio_job_file(path)) {
            open_fio(path, options, config, workload);
        } else {
            open_generator(path, options, config, limit, workload);
        }
    }
    if (wraps(config)) {
        workload.require_within = nullptr;
    }
    return workload;
}

std::uint64_t sampled_requests(const RunOptions& options, const Workload& workload,
                               std::uint64_t capacity) {
    if (!workload.needs_time.empty()) {
        throw UserError(options.workload, 1,
                        fmt::format("requests of job \"{}\" depend on time, which a sampled run "
                                    "does not have between its windows",
                                    workload.needs_time),
                        "a number of requests without pauses, or fidelity = \"at\"");
    }
    if (workload.requests) {
        return *workload.requests;
    }
    if (!workload.place) {
        throw UserError(options.traces.front(), 1, "a pipe does not say how many requests it has",
                        "a file");
    }
    return count(*workload.place(capacity));
}

RunIdentity identify(const RunOptions& options, const Workload& workload) {
    const std::vector<TraceFlow> traces = traces_of(options);
    const bool trace = !traces.empty();
    RunInput input{trace ? "trace" : "workload",
                   trace ? traces.front().path : options.workload,
                   options.columns.empty() ? options.format : "csv:" + options.columns,
                   std::nullopt,
                   options.limit,
                   options.warmup};
    input.flow = options.flow;
    std::error_code error;
    if (traces.size() > 1) {
        input.kind = "traces";
        input.path = fmt::format("{}", fmt::join(options.traces, " "));
        std::string all;
        for (const TraceFlow& flow : traces) {
            all += flow.name + " " + sha256_of_file(find_file(kTraces, flow.path)) + "\n";
        }
        input.sha256 = sha256(all);
    } else {
        const std::string path = find_file(trace ? kTraces : kWorkloads, input.path);
        if (std::filesystem::is_regular_file(path, error)) {
            input.sha256 = sha256_of_file(path);
        }
    }
    return {options.command, time_of_day(), std::move(input), {}, workload.notes};
}

FilterOptions filters_of(const RunOptions& options, const SsdConfig& config, std::uint64_t capacity,
                         bool closed_loop) {
    FilterOptions filters;
    filters.limit = options.limit;
    filters.capacity = capacity;
    filters.out_of_range = wraps(config) ? AddressPolicy::kWrap : AddressPolicy::kError;
    // A closed loop takes no notice of arrivals.
    filters.speedup = closed_loop ? 1.0 : config.workload.speedup;
    return filters;
}

} // namespace cavern
