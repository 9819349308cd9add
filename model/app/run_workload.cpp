#include "app/run_workload.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "workload/generator.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

bool wraps(const SsdConfig& config) {
    return config.workload.wraps;
}

} // namespace

Workload open_workload(const RunOptions& options, const SsdConfig& config) {
    if (options.trace.empty() == options.workload.empty()) {
        throw UserError("<command line>", 1,
                        options.trace.empty() ? "there is nothing to run"
                                              : "a trace and a workload exclude each other",
                        "give either --trace FILE or --workload FILE");
    }
    Workload workload;
    const std::uint64_t limit = options.limit.value_or(~std::uint64_t{0});
    if (options.workload.empty()) {
        const TraceOptions trace{options.trace, options.format, config.workload.device};
        const std::optional<TraceInfo> info = scan_trace(trace, limit);
        workload.source = open_trace(trace, info ? &*info : nullptr);
        if (info) {
            workload.requests = std::min(info->requests, limit);
            workload.require_within = [trace, info, limit](std::uint64_t capacity) {
                require_within(trace, *info, capacity, limit);
            };
        }
    } else {
        const GeneratorSpec spec = load_generator_spec(options.workload);
        workload.requests = std::min(spec.requests(), limit);
        workload.closed_loop = spec.closed_loop();
        workload.depth = spec.iodepth();
        workload.source = std::make_unique<Generator>(spec, config.seed);
        workload.require_within = [spec](std::uint64_t capacity) {
            require_within(spec, capacity);
        };
    }
    if (wraps(config)) {
        workload.require_within = nullptr;
    }
    return workload;
}

RunIdentity identify(const RunOptions& options) {
    const bool trace = options.workload.empty();
    RunInput input{trace ? "trace" : "workload",
                   trace ? options.trace : options.workload,
                   options.format,
                   std::nullopt,
                   options.limit,
                   options.warmup};
    const std::string path = trace ? find_trace(input.path) : input.path;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
        input.sha256 = sha256_of_file(path);
    }
    return {options.command, time_of_day(), std::move(input), {}};
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
