#include "app/run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <systemc>
#include <utility>

#include <fmt/format.h>

#include "app/result_files.h"
#include "app/run_checks.h"
#include "app/run_states.h"
#include "app/run_workload.h"
#include "config/config_show.h"
#include "config/resolved_config.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/host_builder.h"
#include "drive/kernel_error.h"
#include "drive/power_loss.h"
#include "drive/ssd.h"
#include "results/console_report.h"
#include "results/progress.h"
#include "results/summary.h"
#include "sampling/sampled_run.h"
#include "timed/tlm/time.h"

namespace cavern {
namespace {

/// Keeps what a source throws while the kernel runs, where an exception would lose its type, and
/// ends the workload there.
class GuardedSource final : public RequestSourceIf {
  public:
    explicit GuardedSource(std::unique_ptr<RequestSourceIf> source) : source_(std::move(source)) {}
    bool next(HostRequest& request) override {
        if (failed()) {
            return false;
        }
        try {
            return source_->next(request);
        } catch (const UserError&) {
            error_ = std::current_exception();
            return false;
        }
    }
    [[nodiscard]] bool has_jobs() const override { return source_->has_jobs(); }
    [[nodiscard]] TimePs ask_again_at() const override {
        return failed() ? kNever : source_->ask_again_at();
    }
    void answered(std::uint32_t job) override { source_->answered(job); }
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

/// Runs the kernel until nothing is left to do or, where that is not 0, until `end`.
void run_kernel(const DriveCore& core, TimePs end) {
    try {
        if (end == 0) {
            sc_core::sc_start();
        } else {
            sc_core::sc_start(to_sc_time(end), sc_core::SC_RUN_TO_TIME);
        }
    } catch (const sc_core::sc_report& report) {
        rethrow_kernel_error(report, core);
    }
}

HostInterface::Params host_params(const RunOptions& options, const DrivePlan& config,
                                  const Workload& workload) {
    HostInterface::Params host;
    host.closed_loop = workload.closed_loop || config.workload.closed_loop;
    host.queue_depth = most_outstanding(config.host);
    if (host.closed_loop) {
        host.queue_depth =
            std::min(host.queue_depth, workload.depth.value_or(config.workload.depth));
    }
    host.warmup = options.warmup;
    host.ramp = options.warmup == 0 ? workload.ramp : 0;
    return host;
}

/// Everything of a run but the drive.
struct RunContext {
    const RunOptions& options;
    const ResolvedConfig& resolved;
    ResultFiles& results;
    Progress& progress;
    GuardedSource& source;
    HostInterface::Params host;
    SampledHost sampled; ///< where the fidelity is that
    const RunIdentity& identity;
    RunStates& states;
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
    facts.identity = context.identity;
    facts.wall_seconds = seconds_since(start);
    facts.shares = context.results.shares();
    return facts;
}

/// What is to be said of a drive that is at its end.
struct Told {
    nlohmann::ordered_json summary;
    std::string digest;
};

template <typename Drive>
Told told_of(const RunContext& context, const Drive& drive, const RunFacts& facts) {
    context.results.end_run();
    Told told{make_summary(drive, context.resolved, facts), {}};
    told.digest = console_report(drive, facts, told.summary);
    return told;
}

/// What the drive holds, and whose results these are in the place of.
std::string places_text(const RunContext& context) {
    const std::string& replaced = context.results.replaced();
    return fmt::format("  drive  {}\n", capacity_text(context.resolved.config)) +
           (replaced.empty()
                ? ""
                : fmt::format("  out    {} replaces run {}\n", context.options.out, replaced));
}

int report(const RunContext& context, Told told, const RunFacts& facts) {
    context.results.commit(told.summary, config_to_toml(context.resolved));
    if (facts.complete) {
        context.states.commit();
    }
    const RunOptions& options = context.options;
    if (options.json) {
        std::cout << told.summary.dump(2) << std::endl;
    } else if (!options.quiet && !to_standard_output(options)) {
        std::cout << told.digest << large_files_text(told.summary) << places_text(context)
                  << std::flush;
    }
    if (!facts.fault.empty()) {
        std::cerr << "error: power loss: " << facts.fault << '\n';
        return 1;
    }
    return facts.complete ? 0 : 130;
}

int run_untimed(const RunContext& context, std::unique_ptr<DriveCore> core, DecisionCostIf* cost) {
    const auto start = std::chrono::steady_clock::now();
    UntimedDrive drive(context.resolved.config, std::move(core), &context.progress, nullptr,
                       context.states.beginning());
    if (cost != nullptr) {
        cost->reset_statistics(); // what filled the drive is not of the run
    }
    context.results.begin_run();
    std::optional<Sample> sample;
    if (context.resolved.config.fidelity == Fidelity::kSampled) {
        sample = play_sampled(drive, context.source, context.sampled, &context.progress);
    } else {
        drive.run(context.source, context.host.warmup, &context.progress, context.host.queue_depth);
    }
    RunFacts facts = facts_of(context, start);
    facts.sample = sample ? &*sample : nullptr;
    facts.facts_checked = drive.check_end_of_run();
    if (const PowerCuts* cuts = drive.cuts()) {
        facts.recovery = cuts->counters();
        facts.fault = cuts->oracle().first_fault();
    }
    context.states.save(drive);
    return report(context, told_of(context, drive, facts), facts);
}

int run_timed(const RunContext& context, std::unique_ptr<DriveCore> core,
              std::shared_ptr<DecisionCostIf> cost) {
    SsdProbes taps;
    taps.decision_cost = std::move(cost);
    RunTaps& files = context.results.taps();
    taps.requests = files.requests.get();
    taps.activity = files.activity.get();
    taps.processors = files.processors();
    taps.observer = &context.progress;
    taps.beginning = context.states.beginning();
    taps.waves = files.waves;

    const PowerLossConfig& loss = context.resolved.config.power_loss;
    VersionOracle oracle;
    AnswerLog answers(oracle, context.resolved.config.buffer.policy != nullptr, taps.requests);
    if (loss.at != 0) {
        taps.oracle = &oracle;
        taps.requests = &answers;
    }

    const auto start = std::chrono::steady_clock::now();
    auto ssd = std::make_unique<Ssd>("ssd", context.resolved.config, std::move(core),
                                     context.source, context.host, taps);
    context.results.watch(*ssd);
    context.results.begin_run();
    RunFacts facts;
    try {
        if (loss.at == 0) {
            ssd->run_ahead();
        }
        run_kernel(ssd->core(), loss.at);
        facts = facts_of(context, start);
        if (loss.at == 0) {
            facts.facts_checked = ssd->check_end_of_run();
        } else {
            facts.recovery.emplace();
            facts.facts_checked = ssd->lose_power(*facts.recovery)->check_invariants();
            facts.fault = oracle.first_fault();
        }
        facts.kernel_events = sc_core::sc_delta_count();
    } catch (const ModelError&) {
        context.results.finish(); // a full disk stops the kernel as well: then this says so
        ssd.reset();
        context.results.keep_signals(); // they show what went wrong
        throw;
    }
    Told told = told_of(context, *ssd, facts);
    context.states.save(*ssd);
    ssd.reset(); // closes the waves
    return report(context, std::move(told), facts);
}

int simulate(const RunOptions& options, const ResolvedConfig& resolved, ResultFiles& results,
             Progress& progress, Workload& workload, const RunIdentity& identity,
             RunStates& states) {
    const DrivePlan& config = resolved.config;
    DriveController controller = results.controller().controller(config);
    std::unique_ptr<DriveCore> core =
        build_core(config, results.taps().decisions, controller.parts.get());
    const std::uint64_t capacity = config.host_bytes();
    CAVERN_CHECK(core->host_pages() == config.host_pages,
                 "the drive has the pages that its plan says");
    if (workload.place) {
        workload.source = workload.place(capacity);
    }
    if (workload.require_within) {
        workload.require_within(capacity);
    }
    const HostInterface::Params host = host_params(options, config, workload);
    GuardedSource source(apply_filters(std::move(workload.source),
                                       filters_of(options, config, capacity, host.closed_loop)));
    SampledHost sampled{host, 0, {}};
    if (config.fidelity == Fidelity::kSampled) {
        sampled.requests = sampled_requests(options, workload, capacity);
        sampled.open_again = [&options, &config, capacity, closed = host.closed_loop] {
            Workload again = open_workload(options, config);
            if (again.place) {
                again.source = again.place(capacity);
            }
            return apply_filters(std::move(again.source),
                                 filters_of(options, config, capacity, closed));
        };
    }
    const RunContext context{options, resolved,           results,  progress, source,
                             host,    std::move(sampled), identity, states};
    return config.fidelity != Fidelity::kApproximatelyTimed
               ? run_untimed(context, std::move(core), controller.cost.get())
               : run_timed(context, std::move(core), std::move(controller.cost));
}

} // namespace

int run_simulation(const RunOptions& options) {
    const ResolvedConfig resolved = resolve(options);
    const DrivePlan& config = resolved.config;
    if (config.power_loss.on_signal) {
        const SettingOrigin at = *latest_origin(resolved, {"power_loss.on_signal"});
        throw UserError(at.file, at.line, "power_loss.on_signal in a run of its own",
                        "give power_loss.at, or serve the drive");
    }
    Places places = inputs_of(options, resolved);
    add_outputs(options, places);
    places.check();
    if (only_saves_state(options)) {
        return save_preconditioned(options, resolved);
    }
    // Before there are files: a long trace takes long to look through, and may be interrupted.
    Workload workload = open_workload(options, config);
    RunIdentity identity = identify(options, workload);
    identity.input.state = options.load_state;
    identity.input.state_id = state_id(options.load_state);
    Progress progress(workload.requests, options.quiet);
    RunStates states(options, resolved, &progress);
    ResultFiles results(options, config, places, workload.jobs);
    ControllerView& controller = results.controller();
    try {
        const int status =
            simulate(options, resolved, results, progress, workload, identity, states);
        controller.ended(status);
        return status;
    } catch (const ModelError& error) {
        results.keep_controller(); // it shows what went wrong
        if (!controller.killed()) {
            rethrow_as_users(resolved, controller.has_changed());
        }
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
}

} // namespace cavern
