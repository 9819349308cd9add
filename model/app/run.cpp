#include "app/run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <systemc>
#include <utility>

#include "config/config_loader.h"
#include "config/config_show.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "cosim/user_models.h"
#include "drive/core_builder.h"
#include "drive/host_builder.h"
#include "drive/ssd.h"
#include "results/console_report.h"
#include "results/flash_waves.h"
#include "results/progress.h"
#include "results/result_logs.h"
#include "results/summary.h"
#include "timed/tlm/time.h"
#include "workload/filters.h"
#include "workload/generator.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// The workload of a run, opened, and what is known of it beforehand.
struct Workload {
    std::unique_ptr<RequestSourceIf> source;
    /// Throws UserError for a request beyond a drive of so many bytes, where that can be known.
    std::function<void(std::uint64_t capacity)> require_within;
    std::optional<std::uint64_t> requests; ///< unknown for a pipe
    bool closed_loop = false;
    std::optional<std::uint32_t> depth; ///< that a generator asks for
};

bool wraps(const SsdConfig& config) {
    return config.workload.out_of_range == "wrap";
}

/// Finds every fault of a workload that can be found before the run.
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

/// Keeps what a source throws while the kernel runs, where an exception would lose its type, and
/// ends the workload there.
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
    [[nodiscard]] bool failed() const { return error_ != nullptr; }
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

/// Runs the kernel until nothing is left to do. Exceptions thrown inside a process reach us wrapped
/// in an sc_report; the model's own come out as they were.
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
            decisions_ = std::make_unique<DecisionJsonl>(options.decisions, config.nand.geometry,
                                                         [] { return now_ps(); });
            decisions_->mute(true); // until the drive is preconditioned
        }
        if (!options.timeline.empty()) {
            timeline_ = std::make_unique<TimelineJson>(options.timeline, config.nand.geometry,
                                                       options.timeline_window);
        }
        if (!options.waves.empty()) {
            waves_ = std::make_unique<OutputFile>(options.waves);
        }
        if (!options.bus_waves.empty()) {
            bus_waves_file_ = std::make_unique<OutputFile>(options.bus_waves);
            bus_waves_ = std::make_unique<FlashWaves>(config.nand.geometry, config.nand.timing,
                                                      options.bus_waves_window);
            if (timeline_ != nullptr) {
                pair_ = std::make_unique<ActivityPair>(*timeline_, *bus_waves_);
            }
        }
    }

    [[nodiscard]] RequestLogIf* requests() const { return requests_.get(); }
    [[nodiscard]] DecisionJsonl* decisions() const { return decisions_.get(); }
    /// Who listens to buses and dies; null: nobody.
    [[nodiscard]] ActivityLogIf* activity() const {
        return pair_        ? static_cast<ActivityLogIf*>(pair_.get())
               : bus_waves_ ? static_cast<ActivityLogIf*>(bus_waves_.get())
                            : timeline_.get();
    }
    /// Where the arbiter writes its waves; empty: nowhere.
    [[nodiscard]] std::string waves() const { return waves_ ? waves_->place() : std::string(); }

    /// All files but the waves or, where one cannot be written to its end, none.
    void commit(const nlohmann::ordered_json& summary, const std::string& config) {
        summary_.print("{}\n", summary.dump(2));
        config_.print("{}", config);
        finish();
        for_all([](auto& file) { file.commit(); });
        folder_.keep();
    }
    /// Throws UserError if what was printed so far cannot be written.
    void finish() {
        for_all([](auto& file) { file.finish(); });
    }
    /// The waves alone, once the arbiter has closed them.
    void keep_waves() {
        if (bus_waves_ != nullptr) {
            bus_waves_->write(bus_waves_file_->place(), waves());
            bus_waves_file_->commit();
        }
        if (waves_ != nullptr) {
            waves_->commit();
        }
    }

  private:
    template <typename Act>
    void for_all(Act act) {
        act(config_);
        act(summary_);
        if (requests_ != nullptr) {
            act(*requests_);
        }
        if (decisions_ != nullptr) {
            act(*decisions_);
        }
        if (timeline_ != nullptr) {
            act(*timeline_);
        }
    }

    OutputFolder folder_; // first: outlives the files in it
    OutputFile summary_;
    OutputFile config_;
    std::unique_ptr<RequestCsv> requests_;
    std::unique_ptr<DecisionJsonl> decisions_;
    std::unique_ptr<TimelineJson> timeline_;
    std::unique_ptr<OutputFile> waves_;
    std::unique_ptr<OutputFile> bus_waves_file_;
    std::unique_ptr<FlashWaves> bus_waves_;
    std::unique_ptr<ActivityPair> pair_;
};

HostInterface::Params host_params(const RunOptions& options, const SsdConfig& config,
                                  const Workload& workload) {
    HostInterface::Params host;
    host.closed_loop = workload.closed_loop || config.workload.arrival == "closed";
    host.queue_depth = most_outstanding(config.host);
    if (host.closed_loop) {
        host.queue_depth =
            std::min(host.queue_depth, workload.depth.value_or(config.workload.depth));
    }
    host.warmup = options.warmup;
    return host;
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

/// Refuses to write a file twice or over the input.
void check_paths(const RunOptions& options) {
    struct Place {
        const char* name;
        std::string path;
        bool input;
    };
    const std::vector<Place> places{
        {"CONFIG", options.config, true},
        {"--trace", find_trace(options.trace), true},
        {"--workload", options.workload, true},
        {"--out", (fs::path(options.out) / "summary.json").string(), false},
        {"--out", (fs::path(options.out) / "config.toml").string(), false},
        {"--requests", options.requests, false},
        {"--decisions", options.decisions, false},
        {"--timeline", options.timeline, false},
        {"--waves", options.waves, false},
        {"--bus-waves", options.bus_waves, false}};
    std::map<fs::path, const Place*> taken;
    for (const Place& place : places) {
        if (place.path.empty()) {
            continue;
        }
        std::error_code error;
        const fs::path real = fs::weakly_canonical(fs::absolute(place.path, error), error);
        if (fs::exists(real, error) && !fs::is_regular_file(real, error)) {
            continue; // /dev/null may be named as often as one likes
        }
        const auto [other, fresh] = taken.emplace(real, &place);
        if (!fresh && !place.input) {
            throw UserError("<command line>", 1,
                            std::string(place.name) + " would write over \"" + place.path +
                                "\" of " + other->second->name,
                            "name another file");
        }
    }
}

/// Which arbiter of the user's there is, only the program knows that it was linked into.
void check_rtl_top(const ResolvedConfig& resolved) {
    const std::string& top = resolved.config.channel.rtl_top;
    if (top == kBuiltInRtl || (!top.empty() && top == user_rtl_top())) {
        return;
    }
    const std::optional<std::size_t> key = find_config_key("channel.rtl_top");
    CAVERN_CHECK(key.has_value(), "a checked key is in the table");
    const SettingOrigin& at = resolved.settings[*key]->origin;
    throw UserError(at.file, at.line, "this program has no RTL arbiter \"" + top + "\" in it",
                    user_rtl_top().empty() ? "built-in, or build with -DCAVERN_USER_ARBITER=FILE.sv"
                                           : "built-in or " + std::string(user_rtl_top()));
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
    if (resolved.config.fidelity == "untimed") {
        for (const auto& [name, path] :
             {std::pair{"--requests", options.requests}, std::pair{"--timeline", options.timeline},
              std::pair{"--waves", options.waves}, std::pair{"--bus-waves", options.bus_waves}}) {
            if (!path.empty()) {
                throw UserError("<command line>", 1,
                                std::string(name) + " shows times, and the run has none",
                                "add --set fidelity=at");
            }
        }
    }
    check_rtl_top(resolved);
    if (options.bus_waves_window.begin > options.bus_waves_window.end) {
        throw UserError("<command line>", 1, "--bus-waves-from lies after --bus-waves-to",
                        "give the earlier time first");
    }
    if (options.timeline_window.begin > options.timeline_window.end) {
        throw UserError("<command line>", 1, "--timeline-from lies after --timeline-to",
                        "give the earlier time first");
    }
    check_paths(options);
    return resolved;
}

/// Everything of a run but the drive.
struct RunContext {
    const RunOptions& options;
    const ResolvedConfig& resolved;
    ResultFiles& results;
    Progress& progress;
    GuardedSource& source;
    HostInterface::Params host;
};

/// The kernel, or the loop without one, has come to its end: throws what ended the workload early.
RunFacts facts_of(const RunContext& context, std::chrono::steady_clock::time_point start) {
    context.progress.finish();
    // The writer of a pipe is interrupted with us: where it stopped is no mistake of the trace.
    const bool cut_short = context.source.failed() && Progress::stopping();
    if (!cut_short) {
        context.source.rethrow();
    }
    RunFacts facts;
    facts.complete = !context.progress.interrupted() && !cut_short;
    facts.workload =
        context.options.trace.empty() ? context.options.workload : context.options.trace;
    facts.wall_seconds = seconds_since(start);
    return facts;
}

template <typename Drive>
int report(const RunContext& context, const Drive& drive, const RunFacts& facts) {
    context.results.commit(make_summary(drive, context.resolved, facts),
                           config_to_toml(context.resolved));
    if (!context.options.quiet) {
        print_console_report(drive, facts);
    }
    return facts.complete ? 0 : 130;
}

int run_untimed(const RunContext& context, std::unique_ptr<DriveCore> core) {
    const auto start = std::chrono::steady_clock::now();
    UntimedDrive drive(context.resolved.config, std::move(core));
    if (context.results.decisions() != nullptr) {
        context.results.decisions()->mute(false);
    }
    drive.run(context.source, context.host.warmup, &context.progress, context.host.queue_depth);
    RunFacts facts = facts_of(context, start);
    facts.facts_checked = drive.check_end_of_run();
    return report(context, drive, facts);
}

int run_timed(const RunContext& context, std::unique_ptr<DriveCore> core) {
    SsdProbes taps;
    taps.requests = context.results.requests();
    taps.activity = context.results.activity();
    taps.observer = &context.progress;
    taps.waves = context.results.waves();

    const auto start = std::chrono::steady_clock::now();
    auto ssd = std::make_unique<Ssd>("ssd", context.resolved.config, std::move(core),
                                     context.source, context.host, taps);
    if (context.results.decisions() != nullptr) {
        context.results.decisions()->mute(false);
    }
    RunFacts facts;
    try {
        ssd->run_ahead();
        run_kernel();
        facts = facts_of(context, start);
        facts.facts_checked = ssd->check_end_of_run();
        facts.kernel_events = sc_core::sc_delta_count();
    } catch (const ModelError&) {
        context.results.finish(); // a full disk stops the kernel as well: then this says so
        ssd.reset();
        context.results.keep_waves(); // they show what went wrong
        throw;
    }
    const int status = report(context, *ssd, facts);
    ssd.reset();
    context.results.keep_waves();
    return status;
}

} // namespace

int run_simulation(const RunOptions& options) {
    const ResolvedConfig resolved = resolve(options);
    const SsdConfig& config = resolved.config;
    // Before there are files: a long trace takes long to look through, and may be interrupted.
    Workload workload = open_workload(options, config);
    Progress progress(workload.requests, options.quiet);
    ResultFiles results(options, config);
    std::unique_ptr<DriveCore> core = build_core(config, results.decisions());
    const std::uint64_t capacity = core->ftl().logical_pages() * config.nand.geometry.page_bytes;
    if (workload.require_within) {
        workload.require_within(capacity);
    }
    const HostInterface::Params host = host_params(options, config, workload);
    GuardedSource source(apply_filters(std::move(workload.source),
                                       filters_of(options, config, capacity, host.closed_loop)));
    const RunContext context{options, resolved, results, progress, source, host};
    return config.fidelity == "untimed" ? run_untimed(context, std::move(core))
                                        : run_timed(context, std::move(core));
}

} // namespace cavern
