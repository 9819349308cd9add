#include "ssd/run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <systemc>
#include <utility>

#include "core/base/error.h"
#include "core/workload/filters.h"
#include "core/workload/generator.h"
#include "core/workload/open_trace.h"
#include "ssd/config_loader.h"
#include "ssd/config_show.h"
#include "ssd/core_builder.h"
#include "ssd/digest.h"
#include "ssd/output_file.h"
#include "ssd/progress.h"
#include "ssd/result_logs.h"
#include "ssd/ssd.h"
#include "ssd/summary.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// The workload of a run, opened, and what is known of it beforehand.
struct Workload {
    std::unique_ptr<RequestSourceIf> source;
    std::optional<std::uint64_t> requests; ///< unknown for a pipe
    bool closed_loop = false;
    std::optional<std::uint32_t> depth; ///< that a generator asks for
};

bool wraps(const SsdConfig& config) { return config.workload.out_of_range == "wrap"; }

/// Finds every fault of a workload that can be found before the run. `capacity` in bytes.
Workload open_workload(const RunOptions& options, const SsdConfig& config,
                       std::uint64_t capacity) {
    if (options.trace.empty() == options.workload.empty()) {
        throw UserError("<command line>", 1,
                        options.trace.empty() ? "there is nothing to run"
                                              : "a trace and a workload exclude each other",
                        "give either --trace FILE or --workload FILE");
    }
    Workload workload;
    if (options.workload.empty()) {
        const TraceOptions trace{options.trace, options.format,
                                 config.workload.device};
        const std::uint64_t limit = options.limit.value_or(~std::uint64_t{0});
        const std::optional<TraceInfo> info = scan_trace(trace, limit);
        workload.source = open_trace(trace, info ? &*info : nullptr);
        if (info && !wraps(config)) {
            require_within(trace, *info, capacity, limit);
        }
        if (info) {
            workload.requests = std::min(info->requests, limit);
        }
    } else {
        GeneratorSpec spec = load_generator_spec(options.workload);
        if (!wraps(config)) {
            require_within(spec, capacity);
        }
        workload.requests = std::min(spec.requests(), options.limit.value_or(~std::uint64_t{0}));
        workload.closed_loop = spec.closed_loop();
        workload.depth = spec.iodepth();
        workload.source = std::make_unique<Generator>(std::move(spec), config.seed);
    }
    return workload;
}

/// Makes the folder on construction; unless kept, a folder made here goes again if it is empty.
class OutputFolder {
  public:
    explicit OutputFolder(fs::path path) : path_(std::move(path)) {
        fs::path missing = path_;
        while (!missing.empty() && !fs::exists(missing)) {
            made_.push_back(missing);
            missing = missing.parent_path();
        }
        std::error_code error;
        fs::create_directories(path_, error);
        if (error || !fs::is_directory(path_)) {
            remove_made();
            throw UserError(path_.string(), 1,
                            "cannot be made a folder" +
                                (error ? ": " + error.message() : std::string()),
                            "name an output folder that can be created or exists");
        }
    }
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    ~OutputFolder() {
        if (!kept_) {
            remove_made();
        }
    }
    void keep() { kept_ = true; }
    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

  private:
    void remove_made() {
        for (const fs::path& folder : made_) {
            std::error_code ignored;
            fs::remove(folder, ignored); // refuses a folder that is not empty
        }
    }

    fs::path path_;
    std::vector<fs::path> made_; ///< innermost first
    bool kept_ = false;
};

/// Keeps what a source throws while the kernel runs, where an exception would lose its type, and ends
/// the workload there.
class GuardedSource final : public RequestSourceIf {
  public:
    explicit GuardedSource(std::unique_ptr<RequestSourceIf> source) : source_(std::move(source)) {}
    bool next(HostRequest& request) override {
        try {
            return source_->next(request);
        } catch (const UserError&) {
            error_ = std::current_exception();
            return false;
        }
    }
    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

  private:
    std::unique_ptr<RequestSourceIf> source_;
    std::exception_ptr error_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs the kernel until nothing is left to do. Exceptions thrown inside a process reach us wrapped in
/// an sc_report; the model's own come out as they were.
void run_kernel() {
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report& report) {
        throw ModelError(report.get_msg());
    }
}

/// Everything a run writes. Nothing of it appears before commit().
class ResultFiles {
  public:
    ResultFiles(const RunOptions& options, const SsdConfig& config)
        : folder_(options.out), summary_(folder_.file("summary.json")),
          config_(folder_.file("config.toml")) {
        if (!options.requests.empty()) {
            requests_ = std::make_unique<RequestCsv>(options.requests);
        }
        if (!options.decisions.empty()) {
            decisions_ = std::make_unique<DecisionJsonl>(
                options.decisions, config.nand.geometry, [] { return now_ps(); });
            decisions_->mute(true); // until the drive is preconditioned
        }
        if (!options.timeline.empty()) {
            timeline_ = std::make_unique<TimelineJson>(options.timeline, config.nand.geometry,
                                                       options.timeline_window);
        }
    }

    [[nodiscard]] RequestLogIf* requests() const { return requests_.get(); }
    [[nodiscard]] DecisionJsonl* decisions() const { return decisions_.get(); }
    [[nodiscard]] ActivityLogIf* timeline() const { return timeline_.get(); }

    void commit(const nlohmann::ordered_json& summary, const std::string& config) {
        summary_.print("{}\n", summary.dump(2));
        config_.print("{}", config);
        if (requests_ != nullptr) {
            requests_->commit();
        }
        if (decisions_ != nullptr) {
            decisions_->commit();
        }
        if (timeline_ != nullptr) {
            timeline_->commit();
        }
        config_.commit();
        summary_.commit();
        folder_.keep();
    }

  private:
    OutputFolder folder_; // first: outlives the files in it
    OutputFile summary_;
    OutputFile config_;
    std::unique_ptr<RequestCsv> requests_;
    std::unique_ptr<DecisionJsonl> decisions_;
    std::unique_ptr<TimelineJson> timeline_;
};

HostInterface::Params host_params(const RunOptions& options, const SsdConfig& config,
                                  const Workload& workload) {
    HostInterface::Params host;
    host.closed_loop = workload.closed_loop || config.workload.arrival == "closed";
    host.queue_depth = config.host.queue_depth;
    if (host.closed_loop) {
        host.queue_depth =
            std::min(host.queue_depth, workload.depth.value_or(config.workload.depth));
    }
    host.turnaround = config.host.turnaround;
    host.warmup = options.warmup;
    return host;
}

FilterOptions filters_of(const RunOptions& options, const SsdConfig& config,
                         std::uint64_t capacity, bool closed_loop) {
    FilterOptions filters;
    filters.limit = options.limit;
    filters.capacity = capacity;
    filters.out_of_range = wraps(config) ? AddressPolicy::kWrap : AddressPolicy::kError;
    filters.speedup = config.workload.speedup;
    filters.closed_loop = closed_loop;
    return filters;
}

ResolvedConfig resolve(const RunOptions& options) {
    std::vector<std::string> overrides = options.overrides;
    if (options.seed) {
        overrides.push_back("seed=" + std::to_string(*options.seed));
    }
    ResolvedConfig resolved = load_config(options.config, overrides);
    if (!options.waves.empty() && resolved.config.channel.arbiter == "tlm") {
        throw UserError("<command line>", 1, "--waves needs an arbiter in RTL",
                        "add --set channel.arbiter=rtl (or lockstep)");
    }
    return resolved;
}

} // namespace

int run_simulation(const RunOptions& options) {
    const ResolvedConfig resolved = resolve(options);
    const SsdConfig& config = resolved.config;
    ResultFiles results(options, config);
    std::unique_ptr<DriveCore> core = build_core(config, results.decisions());
    const std::uint64_t capacity = core->ftl().logical_pages() * config.nand.geometry.page_bytes;
    Workload workload = open_workload(options, config, capacity);
    const HostInterface::Params host = host_params(options, config, workload);
    GuardedSource source(apply_filters(
        std::move(workload.source), filters_of(options, config, capacity, host.closed_loop)));
    Progress progress(workload.requests, options.quiet);
    SsdTaps taps;
    taps.requests = results.requests();
    taps.activity = results.timeline();
    taps.observer = &progress;
    taps.waves = options.waves;

    const auto start = std::chrono::steady_clock::now();
    Ssd ssd("ssd", config, std::move(core), source, host, taps);
    if (results.decisions() != nullptr) {
        results.decisions()->mute(false);
    }
    run_kernel();
    progress.finish();
    source.rethrow();

    RunFacts facts;
    facts.complete = !progress.interrupted();
    facts.wall_seconds = seconds_since(start);
    facts.facts_checked = ssd.check_end_of_run();
    facts.kernel_events = sc_core::sc_delta_count();
    results.commit(make_summary(ssd, resolved, facts), config_to_toml(resolved));
    if (!options.quiet) {
        print_digest(ssd, facts);
    }
    return facts.complete ? 0 : 130;
}

} // namespace cavern
