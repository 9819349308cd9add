#include "app/serve_command.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>
#include <vector>

#include "app/result_files.h"
#include "app/run_checks.h"
#include "config/config_show.h"
#include "config/resolved_config.h"
#include "core/base/error.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/power_loss.h"
#include "results/console_report.h"
#include "results/serve_summary.h"
#include "results/summary.h"
#include "serve/awake_processors.h"
#include "serve/client_command.h"
#include "serve/drive_export.h"
#include "serve/drive_image.h"
#include "serve/listener.h"
#include "serve/live_view.h"
#include "serve/server.h"
#include "serve/stop_signals.h"
#include "serve/transport.h"

namespace cavern {
namespace {

using namespace std::chrono_literals;
using Wall = ServeClock::Wall;

/// From the signal to the end: to answer what is outstanding, and to let the drive come to rest.
constexpr auto kAnswers = 300ms;
constexpr auto kRest = 300ms;
constexpr auto kServerLook = 250ms;

ServeTime parse_time(const std::string& text) {
    constexpr std::string_view kDilated = "dilated=";
    if (text == "free") {
        return {};
    }
    if (text == "real") {
        return {1};
    }
    double factor = 0;
    if (text.rfind(kDilated, 0) == 0) {
        const std::string number = text.substr(kDilated.size());
        std::size_t end = 0;
        try {
            factor = std::stod(number, &end);
        } catch (const std::exception&) {
            end = 0;
        }
        factor = end == number.size() && factor >= 0.001 && factor <= 1e6 ? factor : 0;
    }
    if (factor == 0) {
        throw UserError("<command line>", 1, "--time knows no \"" + text + "\"",
                        "give free, real, or dilated=N with N from 0.001 to 1000000");
    }
    return {factor};
}

/// What a drive for real software cannot be.
void check_servable(const ServeCommandOptions& options, const ResolvedConfig& resolved) {
    const DrivePlan& config = resolved.config;
    const auto complain = [&](const char* key, const std::string& what, const std::string& right) {
        const SettingOrigin at =
            latest_origin(resolved, {key}).value_or(SettingOrigin{{}, 0, "<command line>", 1});
        throw UserError(at.file, at.line, what, right);
    };
    if (config.fidelity == Fidelity::kUntimed) {
        complain("fidelity", "a drive that is served has time", "fidelity = \"at\"");
    }
    if (config.data.store != DataStore::kFull) {
        complain("data.store", "a drive that is served keeps its data", "data.store = \"full\"");
    }
    if (config.ftl.scheme->has_zones) {
        complain("ftl.scheme", "clients write a drive that is served in any order",
                 "a scheme without zones");
    }
    for (std::size_t i = 0; i < run_files().size(); ++i) {
        const RunFileRow& row = run_files()[i];
        if (config.power_loss.happens() && row.is(RunFileRow::kOneLife) &&
            !options.run.files[i].path.empty()) {
            throw UserError("<command line>", 1,
                            std::string("--") + row.name +
                                " ends where the power of the drive is lost",
                            "leave it out, or power_loss.at and power_loss.on_signal");
        }
    }
    if (!options.image.empty() && config.precondition.fill > 0) {
        complain("precondition.fill",
                 "the image says what is in the drive, and so does precondition.fill",
                 "no --image, or precondition.fill = 0");
    }
}

/// Data are kept unless somebody says they are not.
ResolvedConfig resolve_with_data(RunOptions options) {
    ResolvedConfig resolved = resolve(options);
    if (!latest_origin(resolved, {"data.store"})) {
        options.overrides.push_back("data.store=full");
        resolved = resolve(options);
    }
    return resolved;
}

std::string socket_of(const ServeCommandOptions& options) {
    return options.socket.empty() ? (std::filesystem::path(options.run.out) / "nbd.sock").string()
                                  : options.socket;
}

std::string statistics_of(const ServeCommandOptions& options) {
    return (std::filesystem::path(options.run.out) / "serve.json").string();
}

Places places_of(const ServeCommandOptions& options, const ResolvedConfig& resolved) {
    Places places = inputs_of(options.run, resolved);
    places.writes("--image", options.image); // and read, before
    add_outputs(options.run, places);
    places.writes("--out", statistics_of(options));
    if (options.listen.empty()) {
        places.writes("--socket", socket_of(options));
    }
    return places;
}

Listener open_listener(const ServeCommandOptions& options) {
    return options.listen.empty() ? Listener::unix_socket(socket_of(options))
                                  : Listener::tcp(options.listen);
}

/// What a cut has added.
PowerCut cut_at(TimePs at, const RecoveryCounters& before, const RecoveryCounters& after) {
    PowerCut cut;
    cut.at = at;
    for (const auto count :
         {&RecoveryCounters::acknowledged, &RecoveryCounters::flushed, &RecoveryCounters::recovered,
          &RecoveryCounters::lost_unflushed, &RecoveryCounters::lost_flushed,
          &RecoveryCounters::corrupt, &RecoveryCounters::wrong_data, &RecoveryCounters::torn_pages,
          &RecoveryCounters::drained_pages, &RecoveryCounters::undrained_pages}) {
        cut.pages.*count = after.*count - before.*count;
    }
    cut.back_after = after.drain_time + after.time - before.drain_time - before.time;
    return cut;
}

void print_cut(const PowerCut& cut) {
    const auto ms = [](TimePs time) { return static_cast<double>(time) / (1000.0 * kUs); };
    std::cout << fmt::format(
                     "power lost at {:.3f} ms: {} pages acknowledged, {} of them flushed; {} "
                     "recovered, {} lost without a flush, {} lost after one, {} with wrong data; "
                     "back after {:.3f} ms\n",
                     ms(cut.at), cut.pages.acknowledged, cut.pages.flushed, cut.pages.recovered,
                     cut.pages.lost_unflushed, cut.pages.lost_flushed,
                     cut.pages.wrong_data + cut.pages.corrupt, ms(cut.back_after))
              << std::flush;
}

ServeFacts facts_of(const ServeCommandOptions& options, const ServeClock& clock,
                    const DriveExport& exported, const Server& server) {
    const auto ns = [](Wall::duration span) {
        return static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(span).count());
    };
    const Server::Statistics& clients = server.statistics();
    const DriveExport::Statistics& of = exported.statistics();
    ServeFacts facts;
    facts.time = options.time;
    facts.connections = clients.connections;
    facts.connections_refused = clients.refused;
    facts.connections_most = clients.most_connections;
    facts.requests = of.requests;
    facts.errors = of.errors;
    facts.bytes_read = of.bytes_read;
    facts.bytes_written = of.bytes_written;
    facts.short_wait_ns = ns(clock.measured().after_short);
    facts.long_wait_ns = ns(clock.measured().after_long);
    facts.late_ns = of.late_ns;
    return facts;
}

void print_lateness(const DriveExport& exported) {
    const Histogram& late = exported.statistics().late_ns;
    if (late.count() != 0) {
        const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1000.0; };
        std::cout << fmt::format(
            "  late   mean {:.1f} us   p50 {:.1f}   p99 {:.1f}   max {:.1f}, on the wall\n",
            late.mean() / 1000.0, us(late.quantile(0.5)), us(late.quantile(0.99)), us(late.max()));
    }
}

/// The drive with its clients, from the first to the signal that ends it.
class Serving {
  public:
    Serving(const ServeCommandOptions& options, const ResolvedConfig& resolved,
            ResultFiles& results, Listener& listener)
        : options_(options), resolved_(resolved), results_(results), export_(resolved.config.name),
          drive_(make_drive()), clock_(start_clock()), server_(*drive_, export_, clock_, listener),
          uri_(listener.uri()), socket_(listener.path()),
          identity_{options.run.command, time_of_day(), {"clients", uri_, {}, {}, {}, 0}, {}, {}} {
        export_.connect(*drive_, clock_.is_free() ? nullptr : &clock_);
        if (!options.image.empty()) {
            image_ = std::make_unique<DriveImage>(options.image, drive_->capacity());
        }
        results.watch(drive_->ssd());
        results.begin_run();
    }

    /// Returns the exit status.
    int serve() {
        if (image_ != nullptr) {
            image_->load(*drive_, export_);
            clock_ = start_clock();
        }
        std::cout << fmt::format("serving {} bytes at {}\n", drive_->capacity(), uri_)
                  << std::flush;
        const TimePs at = resolved_.config.power_loss.at;
        drive_->hold_at(cut_at_ = at == 0 ? kNever : drive_->now() + at);
        ClientCommand command(options_.command, uri_, socket_);
        const auto ends = [&] { return command.ended() || StopSignals::stopping(); };
        for (serve_until([&] { return ends() || power_goes(); }); !ends();
             serve_until([&] { return ends() || power_goes(); })) {
            cut_power();
        }
        drive_->hold_at(kNever);
        server_.shut_down(kAnswers);
        return command.status();
    }

    /// Lets the drive come to rest and checks it, if that does not take long.
    RunFacts finish() {
        if (image_ != nullptr) {
            image_->save(*drive_, export_);
        }
        const Wall::time_point end = Wall::now() + kRest;
        RunFacts facts;
        facts.identity = identity_;
        facts.shares = results_.shares();
        if (resolved_.config.power_loss.happens()) {
            facts.recovery = recovery_;
            facts.fault = oracle_.first_fault();
        }
        const bool rests = drive_->finish([end] { return Wall::now() < end; });
        export_.deliver();
        if (rests) {
            facts.facts_checked = drive_->ssd().check_end_of_run();
        }
        facts.kernel_events = sc_core::sc_delta_count();
        facts.wall_seconds = std::chrono::duration<double>(Wall::now() - begin_).count();
        return facts;
    }

    void report(const RunFacts& facts) {
        OutputFile statistics(statistics_of(options_));
        ServeFacts said = facts_of(options_, clock_, export_, server_);
        said.processors_awake = awake_ && awake_->granted();
        if (facts.recovery) {
            said.power_cuts = cuts_;
        }
        statistics.print("{}\n", make_serve_summary(said).dump(2));
        statistics.finish();
        results_.end_run();
        nlohmann::ordered_json summary = make_summary(drive_->ssd(), resolved_, facts);
        results_.commit(summary, config_to_toml(resolved_));
        statistics.commit();
        if (!options_.run.quiet) {
            std::cout << console_report(drive_->ssd(), facts, summary);
            print_lateness(export_);
            std::cout << large_files_text(summary);
        }
    }

  private:
    template <typename Stops>
    void serve_until(Stops stops) {
        std::unique_ptr<LiveView> view; // of the drive as it is until then
        std::function<void()> look;
        if (options_.live && isatty(STDERR_FILENO) == 1) {
            view = std::make_unique<LiveView>(*drive_, export_, uri_);
            look = [&] {
                std::fputs(view->over_the_last(server_.connections()).c_str(), stderr);
                std::fflush(stderr);
            };
        }
        server_.run(stops, look, kServerLook);
    }

    [[nodiscard]] bool power_goes() const {
        return drive_->now() >= cut_at_ ||
               (resolved_.config.power_loss.on_signal && StopSignals::take_power_cut());
    }

    /// Clients are cut off; the drive comes back with what it recovers.
    void cut_power() {
        const RecoveryCounters before = recovery_;
        const TimePs at = drive_->now();
        server_.cut_off();
        export_.forget_requests();
        drive_->hold_at(cut_at_ = kNever);
        drive_->lose_power(recovery_);
        clock_ = {parse_time(options_.time), at, clock_.measured()};
        cuts_.push_back(cut_at(at, before, recovery_));
        print_cut(cuts_.back());
    }

    std::unique_ptr<LiveDrive> make_drive() {
        SsdProbes probes;
        const DriveController controller = make_controller(resolved_.config);
        probes.decision_cost = controller.cost;
        probes.requests = results_.taps().requests.get();
        if (resolved_.config.power_loss.happens()) {
            answers_.emplace(oracle_, resolved_.config.buffer.policy != nullptr, probes.requests);
            probes.requests = &*answers_;
            probes.oracle = &oracle_;
        }
        probes.activity = results_.taps().activity.get();
        probes.processors = results_.taps().processors();
        probes.data = &export_;
        return std::make_unique<LiveDrive>(
            resolved_.config,
            build_core(resolved_.config, results_.taps().decisions, controller.parts.get()),
            probes);
    }

    ServeClock start_clock() {
        const ServeTime time = parse_time(options_.time);
        if (time.is_free()) {
            return {time, drive_->now()};
        }
        if (!awake_) {
            awake_.emplace();
        }
        return {time, drive_->now(), measure_transport()};
    }

    const ServeCommandOptions& options_;
    const ResolvedConfig& resolved_;
    ResultFiles& results_;
    Wall::time_point begin_ = Wall::now();
    DriveExport export_;
    VersionOracle oracle_;
    std::optional<AnswerLog> answers_; ///< none: the power stays
    RecoveryCounters recovery_;
    std::vector<PowerCut> cuts_;
    TimePs cut_at_ = kNever;
    std::unique_ptr<LiveDrive> drive_;
    std::optional<AwakeProcessors> awake_; ///< none: the clock is free
    ServeClock clock_;
    Server server_;
    std::string uri_;
    std::string socket_;
    RunIdentity identity_;
    std::unique_ptr<DriveImage> image_; ///< null: none is kept
};

} // namespace

int run_serve_command(const ServeCommandOptions& options) {
    static_cast<void>(parse_time(options.time)); // before there are files
    const ResolvedConfig resolved = resolve_with_data(options.run);
    check_servable(options, resolved);
    const Places places = places_of(options, resolved);
    places.check();
    const StopSignals signals(resolved.config.power_loss.on_signal);
    ResultFiles results(options.run, resolved.config, places);
    Listener listener = open_listener(options);
    try {
        Serving serving(options, resolved, results, listener);
        const int status = serving.serve();
        const RunFacts facts = serving.finish();
        serving.report(facts);
        if (!facts.fault.empty()) {
            std::cerr << "error: power loss: " << facts.fault << '\n';
            return 1;
        }
        return status;
    } catch (const ModelError&) {
        rethrow_as_users(resolved);
    }
}

} // namespace cavern
