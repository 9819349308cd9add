// What the processor adds to the latency of each request of the demo trace: its cycles and the wait
// for it, and nothing else. docs/verification/cpu.md states the law.

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/config_loader.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/host_builder.h"
#include "drive/ssd.h"
#include "tests/drive/held_commands.h"
#include "tests/support/in_another_process.h"
#include "tests/support/list_source.h"
#include "tests/support/source_dir.h"
#include "workload/filters.h"
#include "workload/open_trace.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycle = 2500;

/// What became of a request. `taken` is when its decisions were; `decide` and `rest` is how long
/// the processor was busy with it until then and from then on, `waited` how long it was not.
struct Played {
    TimePs arrival, taken, processor, completed, frame_wait, flash;
    std::uint64_t pages, hits;
    TimePs waited, decide, rest;

    /// When the device had the command.
    [[nodiscard]] TimePs received() const { return taken - processor; }
    [[nodiscard]] TimePs latency() const { return completed - arrival; }
};

using PlayedRun = std::vector<Played>; ///< by number of the request

/// Collects what becomes of each.
class Recorder final : public RequestLogIf, public ProcessorLogIf {
  public:
    explicit Recorder(std::size_t requests) : run(requests) {}
    void completed(const CompletedRequest& request) override {
        const HostCommandExtension& where = *request.where;
        Played& played = run.at(where.id);
        played.arrival = where.arrival;
        played.taken = where.dispatch;
        played.processor = where.processor;
        played.completed = request.completed;
        played.frame_wait = where.frame_wait;
        played.flash = where.flash;
        played.pages = where.pages;
        played.hits = where.hits;
    }
    void busy(const ProcessorWork& work) override {
        Played& played = run.at(work.command.request);
        if (work.kind == ProcessorWork::Kind::kDecide) {
            played.decide = work.duration;
            played.waited = work.start - work.arrived;
        } else {
            played.rest = work.duration;
        }
        total += work.duration;
    }
    PlayedRun run;
    TimePs total = 0;
};

/// The configurations of the demo, and what differs.
SsdConfig demo_drive(std::vector<std::string> overrides) {
    overrides.emplace_back("workload.out_of_range=wrap");
    return load_config(source_dir() + "/configs/cave.toml", overrides).config;
}

/// Requests of the demo trace from the one numbered `first` on, at most `count`.
std::vector<HostRequest> demo_requests(std::size_t first, std::size_t count) {
    const TraceOptions trace{source_dir() + "/traces/oltp-mysql-1h.csv.xz", "", {}};
    FilterOptions filters;
    filters.capacity = [] {
        const SsdConfig config = demo_drive({});
        return build_core(config, nullptr)->ftl().logical_pages() *
               DrivePlan(config).geometry.page_bytes;
    }();
    filters.out_of_range = AddressPolicy::kWrap;
    const auto source = apply_filters(open_trace(trace, nullptr), filters);
    std::vector<HostRequest> requests;
    HostRequest request;
    for (std::size_t i = 0; requests.size() < count && source->next(request); ++i) {
        if (i >= first) {
            requests.push_back(request);
        }
    }
    for (HostRequest& each : requests) {
        each.arrival -= requests.front().arrival;
    }
    return requests;
}

/// Plays them in a process of its own. `held`: times for which each command is held before the
/// device gets it; empty: none is.
PlayedRun play(const SsdConfig& config, const std::vector<HostRequest>& requests,
               const std::vector<TimePs>& held = {}) {
    const std::string bytes = in_another_process([&] {
        Recorder recorder(requests.size());
        SsdProbes taps;
        const DriveController controller = make_controller(config);
        taps.decision_cost = controller.cost;
        taps.requests = &recorder;
        taps.processors = &recorder;
        if (!held.empty()) {
            taps.around_transport = [&held](std::unique_ptr<HostTransportIf> inner) {
                return std::make_unique<HeldCommands>(std::move(inner), held);
            };
        }
        HostInterface::Params host;
        host.queue_depth = most_outstanding(config.host);
        ListSource source(requests);
        Ssd ssd("ssd", config, build_core(config, nullptr, controller.parts.get()), source, host,
                taps);
        if (held.empty()) {
            ssd.run_ahead();
        }
        sc_core::sc_start();
        EXPECT_GT(ssd.check_end_of_run(), 0u);
        if (controller.cost != nullptr) {
            EXPECT_EQ(recorder.total, controller.cost->executed()->cycles * kCycle);
        }
        return std::string(reinterpret_cast<const char*>(recorder.run.data()),
                           recorder.run.size() * sizeof(Played));
    });
    PlayedRun run(requests.size());
    EXPECT_EQ(bytes.size(), run.size() * sizeof(Played));
    std::memcpy(run.data(), bytes.data(), std::min(bytes.size(), run.size() * sizeof(Played)));
    return run;
}

template <typename Time>
std::vector<TimePs> times(const PlayedRun& run, Time time) {
    std::vector<TimePs> all;
    for (const Played& played : run) {
        all.push_back(time(played));
    }
    return all;
}

// ---- the law, and who breaks it -----------------------------------------------------------------

/// One processor, first come, first served (Lindley's recursion), from arrivals and cycles alone:
/// names the first request that was not taken when this says so.
std::string breaks_queueing(const PlayedRun& run) {
    TimePs free = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
        const Played& played = run[i];
        const TimePs start = std::max(played.received(), free);
        const TimePs decided = start + played.decide;
        if (played.taken != decided || played.waited != start - played.received()) {
            return fmt::format("request {}: taken at {} ps and not at {}", i, played.taken,
                               decided);
        }
        free = decided + played.rest;
    }
    return "";
}

/// `with` a processor; `without` one, each command came as late as `with` took it. Names the first
/// request that was taken at another time, or else the first that fared otherwise.
std::string breaks_equivalence(const PlayedRun& with, const PlayedRun& without) {
    for (std::size_t i = 0; i < with.size(); ++i) {
        if (with[i].taken != without[i].taken || without[i].processor != 0) {
            return fmt::format("request {}: taken at {} ps and at {}", i, with[i].taken,
                               without[i].taken);
        }
    }
    for (std::size_t i = 0; i < with.size(); ++i) {
        const Played& one = with[i];
        const Played& other = without[i];
        if (one.arrival != other.arrival || one.completed != other.completed ||
            one.frame_wait != other.frame_wait || one.flash != other.flash ||
            one.pages != other.pages || one.hits != other.hits) {
            return fmt::format("request {}: completed at {} ps and at {}", i, one.completed,
                               other.completed);
        }
    }
    return "";
}

/// Names the first request whose latencies do not differ by what the processor took.
std::string breaks_difference(const PlayedRun& with, const PlayedRun& without) {
    for (std::size_t i = 0; i < with.size(); ++i) {
        const TimePs more = with[i].latency() - without[i].latency();
        if (more != with[i].processor || with[i].processor != with[i].decide) {
            return fmt::format("request {}: {} ps more, of which the processor took {}", i, more,
                               with[i].processor);
        }
    }
    return "";
}

std::size_t first_that_waits(const PlayedRun& run) {
    const auto first =
        std::find_if(run.begin(), run.end(), [](const Played& played) { return played.waited; });
    return static_cast<std::size_t>(first - run.begin());
}

/// Who breaks a law: "request 17: ..." names 17.
std::size_t named(const std::string& breach) {
    EXPECT_EQ(breach.rfind("request ", 0), 0u) << breach;
    return breach.empty() ? 0 : std::stoul(breach.substr(8));
}

/// As the demo has it: banked SDRAM with refreshes, arbiters in lockstep, arrivals of the trace.
void expect_equivalence(std::size_t first, std::size_t count, std::size_t wait_at_least) {
    const std::vector<HostRequest> requests = demo_requests(first, count);
    const SsdConfig with = demo_drive({"channel.arbiter=lockstep", "cpu.model=iss"});
    const SsdConfig without = demo_drive({"channel.arbiter=lockstep"});
    const PlayedRun run = play(with, requests);
    EXPECT_GE(std::count_if(run.begin(), run.end(), [](const Played& p) { return p.waited; }),
              wait_at_least);
    EXPECT_EQ(breaks_queueing(run), "");
    const auto processor = times(run, [](const Played& played) { return played.processor; });
    EXPECT_EQ(breaks_equivalence(run, play(without, requests, processor)), "");
}

// Requests while one is busy, so that a processor is waited for.
constexpr std::size_t kBusy = 30'000;

TEST(ProcessorLatencyTest, ACommandTakesItsCyclesAndTheWaitAndNothingElse) {
    expect_equivalence(kBusy, 3000, 100);
}

// Far apart, so that no request meets another. Without refreshes and clocked arbiters, which have
// times of their own.
void expect_difference(std::size_t first, std::size_t count) {
    const std::vector<std::string> timeless{"dram.model=ideal"};
    std::vector<HostRequest> requests = demo_requests(first, count);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].arrival = i * 50 * kMs;
    }
    std::vector<std::string> executes = timeless;
    executes.emplace_back("cpu.model=iss");
    const PlayedRun with = play(demo_drive(executes), requests);
    const PlayedRun without = play(demo_drive(timeless), requests);
    EXPECT_EQ(breaks_difference(with, without), "");
    // The controls: a cycle more, and one less.
    for (const TimePs wrong : {kCycle, ~kCycle + 1}) {
        PlayedRun other = with;
        other[count / 2].completed += wrong;
        EXPECT_EQ(named(breaks_difference(other, without)), count / 2);
    }
}

TEST(SlowProcessorLatencyTest, ARequestAloneTakesItsCyclesMore) {
    expect_difference(kBusy, 2000);
}

// The whole trace.

constexpr std::size_t kAll = 80'794;

TEST(ProcessorLatencySlowTest, EachCommandOfTheDemo) {
    expect_equivalence(0, kAll, 1000);
}

TEST(ProcessorLatencySlowTest, EachRequestOfTheDemoAlone) {
    expect_difference(0, kAll);
}

// The controls.

TEST(SlowProcessorLatencyTest, ACycleMoreIsSeen) {
    const std::vector<HostRequest> requests = demo_requests(kBusy, 1000);
    const PlayedRun run = play(demo_drive({"cpu.model=iss"}), requests);
    constexpr std::size_t kOne = 500;
    PlayedRun wrong = run;
    wrong[kOne].decide += kCycle;
    EXPECT_EQ(named(breaks_queueing(wrong)), kOne);
    auto processor = times(run, [](const Played& played) { return played.processor; });
    processor[kOne] += kCycle;
    const PlayedRun held = play(demo_drive({}), requests, processor);
    EXPECT_EQ(named(breaks_equivalence(run, held)), kOne);
    wrong = held;
    wrong[kOne].taken = run[kOne].taken;
    ++wrong[kOne].completed;
    EXPECT_EQ(named(breaks_equivalence(run, wrong)), kOne);
}

TEST(SlowProcessorLatencyTest, AWaitLessIsSeen) {
    const std::vector<HostRequest> requests = demo_requests(kBusy, 1000);
    const PlayedRun run = play(demo_drive({"cpu.model=iss"}), requests);
    PlayedRun wrong = run;
    for (Played& played : wrong) {
        played.taken -= played.waited;
        played.processor -= played.waited;
    }
    EXPECT_EQ(named(breaks_queueing(wrong)), first_that_waits(run));
    const auto cycles = times(run, [](const Played& played) { return played.decide; });
    EXPECT_EQ(named(breaks_equivalence(run, play(demo_drive({}), requests, cycles))),
              first_that_waits(run));
}

} // namespace
} // namespace cavern::testing
