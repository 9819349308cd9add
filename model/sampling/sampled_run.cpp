#include "sampling/sampled_run.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <exception>
#include <iterator>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/error.h"
#include "sampling/buffer_level.h"
#include "sampling/sampled_source.h"
#include "sampling/shared_file.h"
#include "sampling/window_process.h"

namespace cavern {
namespace {

/// Where requests come at times of their own, few are outstanding, whatever the host could have.
constexpr std::uint32_t kOpenLoopDepth = 32;

/// Frames of the buffer that a window may find otherwise than it was told, as a share of all.
constexpr double kSettled = 0.05;

std::uint32_t processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::uint32_t>(CPU_COUNT(&set))
                                                       : 1;
}

/// Which windows there are. Where the buffer has to be filled before them, what fills it twice has
/// to show how full it gets, but no more than an eighth of the run.
SamplingPlan plan_of(const UntimedDrive& drive, const SampledHost& host, std::uint64_t windows,
                     std::uint64_t seed) {
    const HostInterface::Params& params = host.params;
    const std::uint32_t depth =
        params.closed_loop ? params.queue_depth : std::min(params.queue_depth, kOpenLoopDepth);
    SamplingPlan plan =
        plan_windows(drive.config().sampled, {params.warmup, host.requests}, depth, windows, seed);
    if (BufferLevel::matters(drive.core())) {
        plan.pilot = std::max<std::uint64_t>(host.requests / 8, plan.warmup + plan.measured);
    }
    return plan;
}

/// The run played once with windows.
class Round {
  public:
    Round(UntimedDrive& drive, const SampledHost& host, std::uint64_t windows, std::uint64_t seed,
          SharedFile& file)
        : drive_(drive), host_(host.params), plan_(plan_of(drive, host, windows, seed)),
          processes_(drive, host.params, plan_, jobs_of(drive.config().sampled), file) {}

    void play(RequestSourceIf& source, RunObserverIf* observer) {
        SampledSource sampled(source, plan_, processes_);
        drive_.run(sampled, host_.warmup, observer, host_.queue_depth);
        arrivals_ = sampled.last_arrival() - sampled.first_arrival();
    }
    /// Appends what was measured; whether that is all that was planned.
    bool finish(std::vector<Window>& windows) {
        std::vector<Window> measured = processes_.finish();
        const bool whole = measured.size() == plan_.places.size();
        std::move(measured.begin(), measured.end(), std::back_inserter(windows));
        return whole;
    }
    [[nodiscard]] std::uint64_t detailed() const { return processes_.detailed(); }
    [[nodiscard]] TimePs arrivals() const { return arrivals_; }

  private:
    static std::uint32_t jobs_of(const SampledConfig& config) {
        return config.jobs == 0 ? processors() : config.jobs;
    }

    UntimedDrive& drive_;
    const HostInterface::Params& host_;
    SamplingPlan plan_;
    WindowProcesses processes_;
    TimePs arrivals_ = 0;
};

/// A process that waits at the start of the run until it is known how many windows more it takes.
class SecondRound {
  public:
    /// In that process it does not return.
    SecondRound(UntimedDrive& drive, const SampledHost& host) : drive_(drive), host_(host) {
        CAVERN_CHECK(pipe(pipe_) == 0, "there is a pipe to a second round");
        process_ = fork();
        CAVERN_CHECK(process_ >= 0, "a process can be begun for a second round");
        if (process_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(pipe_[1]);
            _exit(wait_and_play());
        }
        close(pipe_[0]);
    }
    ~SecondRound() {
        if (process_ > 0) {
            close(pipe_[1]); // it has nothing to do
            (void)wait();
        }
    }
    SecondRound(const SecondRound&) = delete;
    SecondRound& operator=(const SecondRound&) = delete;

    /// Appends what so many windows measure; returns the requests that were played in time. Once.
    std::uint64_t measure(std::uint64_t windows, std::vector<Window>& to) {
        CAVERN_CHECK(write(pipe_[1], &windows, sizeof windows) == sizeof windows,
                     "a second round hears how long it is");
        const int status = wait();
        Round played = round(windows);
        const bool whole = played.finish(to);
        CAVERN_CHECK(status == 0 && whole, "a second round measures every window, as the first");
        return played.detailed();
    }

  private:
    Round round(std::uint64_t windows) {
        return {drive_, host_, windows, drive_.config().seed + 1, file_};
    }
    int wait_and_play() {
        std::uint64_t windows = 0;
        ssize_t got = 0;
        do {
            got = read(pipe_[0], &windows, sizeof windows);
        } while (got < 0 && errno == EINTR);
        if (got != sizeof windows) {
            return 0;
        }
        try {
            Round second = round(windows);
            second.play(*host_.open_again(), nullptr);
            std::vector<Window> windows_of_it;
            (void)second.finish(windows_of_it);
            return 0;
        } catch (const std::exception&) {
            return 1; // the windows say why, unless it is not theirs
        }
    }
    int wait() {
        int status = 0;
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = 0;
        return status;
    }

    UntimedDrive& drive_;
    const SampledHost& host_;
    SharedFile file_;
    int pipe_[2] = {-1, -1};
    pid_t process_ = -1;
};

/// Windows that it takes in all for the error asked for, with a tenth to spare.
std::uint64_t windows_for(double error, const Interval& found, std::size_t windows) {
    const double times = found.error() / error;
    constexpr double kMost = 1e9; // beyond what any run has room for
    return static_cast<std::uint64_t>(
        std::ceil(std::min(1.1 * times * times * static_cast<double>(windows), kMost)));
}

void add_notes(const DrivePlan& config, const HostInterface::Params& host, const DriveCore& core,
               const std::vector<Window>& windows, Sample& sample) {
    const auto behind = std::count_if(windows.begin(), windows.end(), [&](const Window& window) {
        return window.backlog > host.queue_depth;
    });
    if (!host.closed_loop && behind != 0) {
        sample.notes.push_back(fmt::format(
            "At the end of {} of {} windows more requests waited than the host keeps outstanding: "
            "a window begins with none, so that latencies are too short where the drive cannot "
            "follow the arrivals. fidelity = at has them.",
            behind, windows.size()));
    }
    if (BufferLevel::matters(core) && !windows.empty()) {
        double moved = 0;
        for (const Window& window : windows) {
            moved += std::abs(window.level_change);
        }
        const double share = moved / static_cast<double>(windows.size()) / core.buffer()->frames();
        if (share > kSettled) {
            sample.notes.push_back(fmt::format(
                "From the beginning of a window to its end the number of pages in the buffer "
                "changed by {:.0f} % of what it holds, in the mean: what decides how full it is "
                "had not settled. A larger sampled.warmup_depths lets it.",
                100 * share));
        }
    }
    if (sample.estimates && config.sampled.error != 0 &&
        sample.estimates->mean_ns.error() > config.sampled.error) {
        sample.notes.push_back(fmt::format(
            "The interval of the mean latency is {:.2g} of it away, sampled.error asks for {:.2g}: "
            "the run has no room for more windows of sampled.requests = {}, or they differ more "
            "than the first {} have shown.",
            sample.estimates->mean_ns.error(), config.sampled.error, config.sampled.requests,
            config.sampled.windows));
    }
}

} // namespace

Sample play_sampled(UntimedDrive& drive, RequestSourceIf& source, const SampledHost& host,
                    RunObserverIf* observer) {
    const DrivePlan& config = drive.config();
    const SampledConfig& asked = config.sampled;
    std::optional<SecondRound> second;
    if (asked.error != 0) {
        second.emplace(drive, host);
    }
    SharedFile file;
    Round first(drive, host, asked.windows, config.seed, file);
    first.play(source, observer);
    std::vector<Window> windows;
    const bool whole = first.finish(windows);

    Sample sample;
    sample.arrivals = first.arrivals();
    sample.closed_loop = host.params.closed_loop;
    sample.detailed = first.detailed();
    const auto estimated = [&] {
        sample.windows = windows.size();
        if (windows.size() > 1) {
            sample.estimates = estimate(windows, asked.confidence, config.seed);
        }
    };
    estimated();
    if (second && whole && sample.estimates && sample.estimates->mean_ns.error() > asked.error) {
        const std::uint64_t all =
            windows_for(asked.error, sample.estimates->mean_ns, windows.size());
        sample.detailed += second->measure(all - windows.size(), windows);
        sample.rounds = 2;
        estimated();
    }
    add_notes(config, host.params, drive.core(), windows, sample);
    return sample;
}

} // namespace cavern
