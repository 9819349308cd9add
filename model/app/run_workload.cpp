#include "app/run_workload.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "config/file_names.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "results/progress.h"
#include "timed/tlm/time.h"
#include "workload/generator.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

bool wraps(const SsdConfig& config) {
    return config.workload.wraps;
}

} // namespace

namespace {

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

void open_generator(const RunOptions& options, const SsdConfig& config, std::uint64_t limit,
                    Workload& workload) {
    const GeneratorSpec spec = load_generator_spec(require_file(kWorkloads, options.workload));
    const JobSpec* endless = spec.endless();
    const bool has_time = config.fidelity != Fidelity::kUntimed;
    if (endless != nullptr && !has_time && !options.limit) {
        throw UserError(spec.file, endless->line,
                        "job \"" + endless->name +
                            "\" goes on until its runtime is over, and the "
                            "run has no time",
                        "give --limit, or --set fidelity=at");
    }
    if (endless == nullptr && !spec.needs_drive()) {
        workload.requests = std::min(spec.requests(), limit);
    } else if (options.limit) {
        workload.requests = limit;
    }
    workload.closed_loop = spec.closed_loop();
    workload.depth = spec.iodepth();
    workload.ramp = has_time ? spec.ramp : 0;
    workload.notes = spec.notes;
    for (const JobSpec& job : spec.jobs) {
        workload.jobs.push_back(job.name);
    }
    workload.place = [spec, seed = config.seed, has_time](std::uint64_t capacity) {
        return std::make_unique<Generator>(spec.needs_drive() ? place_on(spec, capacity) : spec,
                                           seed, has_time ? now_ps : nullptr);
    };
    workload.require_within = [spec](std::uint64_t capacity) {
        require_within(spec.needs_drive() ? place_on(spec, capacity) : spec, capacity);
    };
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
        open_generator(options, config, limit, workload);
    }
    if (wraps(config)) {
        workload.require_within = nullptr;
    }
    return workload;
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
    filters.speedup = config.workload.speedup;
    filters.closed_loop = closed_loop;
    return filters;
}

} // namespace cavern
