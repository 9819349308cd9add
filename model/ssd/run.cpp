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

Workload open_workload(const RunOptions& options, const ResolvedConfig& resolved) {
    if (options.trace.empty() == options.workload.empty()) {
        throw UserError("<command line>", 1,
                        options.trace.empty() ? "there is nothing to run"
                                              : "a trace and a workload exclude each other",
                        "give either --trace FILE or --workload FILE");
    }
    Workload workload;
    if (options.workload.empty()) {
        const TraceOptions trace{options.trace, options.format,
                                 resolved.config.workload.device};
        const std::uint64_t limit = options.limit.value_or(~std::uint64_t{0});
        const std::optional<TraceInfo> info = scan_trace(trace, limit);
        workload.source = open_trace(trace, info ? &*info : nullptr);
        if (info) {
            workload.requests = std::min(info->requests, limit);
        }
    } else {
        GeneratorSpec spec = load_generator_spec(options.workload);
        workload.requests = std::min(spec.requests(), options.limit.value_or(~std::uint64_t{0}));
        workload.closed_loop = spec.closed_loop();
        workload.depth = spec.iodepth();
        workload.source = std::make_unique<Generator>(std::move(spec), resolved.config.seed);
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

} // namespace

int run_simulation(const RunOptions& options) {
    std::vector<std::string> overrides = options.overrides;
    if (options.seed) {
        overrides.push_back("seed=" + std::to_string(*options.seed));
    }
    const ResolvedConfig resolved = load_config(options.config, overrides);
    const SsdConfig& config = resolved.config;
    if (!options.waves.empty() && config.channel.arbiter == "tlm") {
        throw UserError("<command line>", 1, "--waves needs an arbiter in RTL",
                        "add --set channel.arbiter=rtl (or lockstep)");
    }
    Workload workload = open_workload(options, resolved);

    OutputFolder folder(options.out);
    OutputFile summary_file(folder.file("summary.json"));
    OutputFile config_file(folder.file("config.toml"));
    std::unique_ptr<RequestCsv> requests;
    std::unique_ptr<DecisionJsonl> decisions;
    std::unique_ptr<TimelineJson> timeline;
    SsdTaps taps;
    if (!options.requests.empty()) {
        requests = std::make_unique<RequestCsv>(options.requests);
        taps.requests = requests.get();
    }
    if (!options.decisions.empty()) {
        decisions = std::make_unique<DecisionJsonl>(options.decisions, config.nand.geometry,
                                                    [] { return now_ps(); });
        decisions->mute(true);
    }
    if (!options.timeline.empty()) {
        timeline = std::make_unique<TimelineJson>(options.timeline, config.nand.geometry);
        taps.activity = timeline.get();
    }
    taps.waves = options.waves;
    Progress progress(workload.requests, options.quiet);
    taps.observer = &progress;

    HostInterface::Params host;
    host.closed_loop = workload.closed_loop || config.workload.arrival == "closed";
    host.queue_depth = config.host.queue_depth;
    if (host.closed_loop) {
        const std::uint32_t depth = workload.depth.value_or(config.workload.depth);
        host.queue_depth = std::min(host.queue_depth, depth);
    }
    host.turnaround = config.host.turnaround;
    host.warmup = options.warmup;

    const auto start = std::chrono::steady_clock::now();
    std::unique_ptr<DriveCore> core = build_core(config, decisions.get());
    FilterOptions filters;
    filters.limit = options.limit;
    filters.capacity = core->ftl().logical_pages() * config.nand.geometry.page_bytes;
    filters.out_of_range =
        config.workload.out_of_range == "wrap" ? AddressPolicy::kWrap : AddressPolicy::kError;
    filters.speedup = config.workload.speedup;
    filters.closed_loop = host.closed_loop;
    GuardedSource source(apply_filters(std::move(workload.source), filters));
    Ssd ssd("ssd", config, std::move(core), source, host, taps);
    if (decisions != nullptr) {
        decisions->mute(false);
    }
    run_kernel();
    progress.finish();
    source.rethrow();

    RunFacts facts;
    facts.complete = !progress.interrupted();
    facts.facts_checked = ssd.check_end_of_run();
    facts.wall_seconds = seconds_since(start);
    facts.kernel_events = sc_core::sc_delta_count();

    summary_file.print("{}\n", make_summary(ssd, resolved, facts).dump(2));
    config_file.print("{}", config_to_toml(resolved));
    if (requests != nullptr) {
        requests->commit();
    }
    if (decisions != nullptr) {
        decisions->commit();
    }
    if (timeline != nullptr) {
        timeline->commit();
    }
    config_file.commit();
    summary_file.commit();
    folder.keep();
    if (!options.quiet) {
        print_digest(ssd, facts);
    }
    return facts.complete ? 0 : 130;
}

} // namespace cavern
