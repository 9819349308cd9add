#include "app/run_workload.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "config/file_names.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "results/progress.h"
#include "timed/tlm/time.h"
#include "workload/fio_job_file.h"
#include "workload/fio_source.h"
#include "workload/generator.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

bool wraps(const SsdConfig& config) {
    return config.workload.wraps;
}

void open_trace_file(const RunOptions& options, const SsdConfig& config, std::uint64_t limit,
                     Workload& workload) {
    const TraceOptions trace{require_file(kTraces, options.trace), options.format,
                             config.workload.device, options.columns};
    WaitDisplay display("reading the trace", options.quiet);
    const std::optional<TraceInfo> info = scan_trace(
        trace, limit, [&display](std::uint64_t requests) { display.show(requests, "requests"); });
    display.clear();
    workload.source = open_trace(trace, info ? &*info : nullptr);
    if (info) {
        workload.requests = std::min(info->requests, limit);
        workload.require_within = [trace, info, limit](std::uint64_t capacity) {
            require_within(trace, *info, capacity, limit);
        };
    }
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
    workload.place = [jobs, folds = wraps(config), seed = config.seed,
                      has_time](std::uint64_t capacity) {
        return std::make_unique<FioSource>(jobs, capacity, folds, seed,
                                           has_time ? now_ps : nullptr);
    };
}

void open_generator(const std::string& path, const SsdConfig& config, std::uint64_t limit,
                    Workload& workload) {
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
    workload.place = [spec, seed = config.seed, has_time](std::uint64_t) {
        return std::make_unique<Generator>(spec, seed, has_time ? now_ps : nullptr);
    };
    workload.require_within = [spec](std::uint64_t capacity) { require_within(spec, capacity); };
}

} // namespace

Workload open_workload(const RunOptions& options, const SsdConfig& config) {
    if (options.trace.empty() == options.workload.empty()) {
        throw UserError("<command line>", 1,
                        options.trace.empty() ? "there is nothing to run"
                                              : "a trace and a workload exclude each other",
                        "give either --trace FILE or --workload FILE");
    }
    if (options.trace.empty() && !options.columns.empty()) {
        throw UserError("<command line>", 1, "--columns of a workload",
                        "give it with --trace FILE");
    }
    Workload workload;
    const std::uint64_t limit = options.limit.value_or(~std::uint64_t{0});
    if (options.workload.empty()) {
        open_trace_file(options, config, limit, workload);
    } else {
        const std::string path = require_file(kWorkloads, options.workload);
        if (is_fio_job_file(path)) {
            open_fio(path, options, config, workload);
        } else {
            open_generator(path, config, limit, workload);
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
        throw UserError(options.trace, 1, "a pipe does not say how many requests it has", "a file");
    }
    return count(*workload.place(capacity));
}

RunIdentity identify(const RunOptions& options, const Workload& workload) {
    const bool trace = options.workload.empty();
    RunInput input{trace ? "trace" : "workload",
                   trace ? options.trace : options.workload,
                   options.columns.empty() ? options.format : "csv:" + options.columns,
                   std::nullopt,
                   options.limit,
                   options.warmup};
    const std::string path = find_file(trace ? kTraces : kWorkloads, input.path);
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
        input.sha256 = sha256_of_file(path);
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
