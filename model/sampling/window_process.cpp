#include "sampling/window_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <systemc>
#include <unistd.h>
#include <utility>

#include "core/base/check.h"
#include "core/base/error.h"
#include "drive/kernel_error.h"
#include "drive/ssd.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

/// How often a pilot tells how full the buffer is.
constexpr std::uint64_t kLevels = 256;

std::uint64_t level_step(const SamplingPlan& plan) {
    return plan.pilot / kLevels + 1;
}

} // namespace

struct WindowProcesses::Record {
    enum class State : std::uint32_t { kNotBegun, kBegun, kMeasured, kFailed };
    State state;
    std::uint64_t measured;
    TimePs span;
    std::uint64_t bytes;
    std::uint64_t backlog;
    std::uint64_t begin;
    std::uint64_t played;
    double level_begun;
    double level_found;
    std::array<std::uint32_t, kLevels> levels; ///< of a pilot: after each level_step() requests
    char error[512];
};

namespace {

/// How many windows before it tell a window how full the buffer is: those in between may run at the
/// same time.
constexpr std::size_t kLag = 2;

/// Times as long a warm-up where dies collect: what they have to copy comes and goes more slowly
/// than what the host wants of them. docs/sampled.md says what shorter ones bring.
constexpr std::uint64_t kCollecting = 16;

/// Of a window: measures the requests behind its warm-up.
class WindowLog final : public RequestLogIf {
  public:
    /// What is measured is known: the workload of the window ends then, unless `goes_on`.
    WindowLog(std::uint64_t warmup, std::uint64_t measured, WindowSource& source, bool goes_on)
        : warmup_(warmup), measured_(measured), ends_(!goes_on), source_(source),
          completed_at_(warmup + measured, kNever), requests_(measured) {}
    /// Looks at how full the buffer is.
    void look_at(const BufferManager& buffer) { buffer_ = &buffer; }

    void completed(const CompletedRequest& request) override {
        const std::uint64_t id = request.where->id;
        if (id < completed_at_.size()) {
            completed_at_[id] = request.completed;
            last_arrival_ = std::max(last_arrival_, request.where->arrival);
        }
        if (id >= warmup_ && id < warmup_ + measured_) {
            requests_[id - warmup_] = {to_ns(request.completed - request.where->arrival),
                                       request.where->op};
            ++answered_;
        }
        if (number_ >= warmup_ && number_ < warmup_ + measured_) {
            end_ = request.completed;
            bytes_ +=
                moves_data(request.where->op) && !request.where->refused ? request.where->bytes : 0;
        }
        if (++number_ == warmup_) {
            begin_ = request.completed;
        }
        if (!source_.ended()) {
            levels_.push_back(buffer_->frames_in_use());
        }
        if (answered_ == measured_ && number_ >= completed_at_.size() && ends_) {
            source_.end();
        }
    }

    /// Those that were played: the first that were not are the end of the workload.
    [[nodiscard]] std::uint64_t measured() const {
        const auto end = std::find(completed_at_.begin(), completed_at_.end(), kNever);
        const auto played = static_cast<std::uint64_t>(end - completed_at_.begin());
        return played > warmup_ ? played - warmup_ : 0;
    }
    [[nodiscard]] std::uint64_t played() const { return number_; }
    [[nodiscard]] const std::vector<MeasuredRequest>& requests() const { return requests_; }
    [[nodiscard]] TimePs span() const { return end_ - begin_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] std::uint64_t backlog() const {
        return static_cast<std::uint64_t>(
            std::count_if(completed_at_.begin(), completed_at_.end(),
                          [this](TimePs at) { return at != kNever && at > last_arrival_; }));
    }
    /// Frames in use in the mean, over the last requests before the source ended, as many as are
    /// measured.
    [[nodiscard]] double level() const {
        const auto from = levels_.end() - static_cast<std::ptrdiff_t>(
                                              std::min<std::uint64_t>(measured_, levels_.size()));
        const double sum = std::accumulate(from, levels_.end(), 0.0);
        return levels_.empty() ? 0 : sum / static_cast<double>(levels_.end() - from);
    }

    /// After so many completions.
    [[nodiscard]] std::uint32_t level_after(std::uint64_t completions) const {
        return levels_.empty() ? 0 : levels_[std::min(completions, levels_.size() - 1)];
    }

  private:
    std::uint64_t warmup_;
    std::uint64_t measured_;
    bool ends_;
    WindowSource& source_;
    const BufferManager* buffer_ = nullptr;
    std::vector<TimePs> completed_at_; ///< by id
    std::vector<MeasuredRequest> requests_;
    std::vector<std::uint32_t> levels_; ///< by the order of completions
    std::uint64_t answered_ = 0;        ///< of those measured
    std::uint64_t number_ = 0;          ///< of completions
    TimePs last_arrival_ = 0;
    TimePs begin_ = 0;
    TimePs end_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Of a pilot: ends it when the buffer could have been filled twice.
class PilotSource final : public RequestSourceIf {
  public:
    PilotSource(WindowSource& source, const WriteBuffer& buffer)
        : source_(source), buffer_(buffer) {}

    bool next(HostRequest& request) override {
        if (buffer_.counters().write_misses >= 2 * std::uint64_t{buffer_.frames()}) {
            source_.end();
        }
        return source_.next(request);
    }
    [[nodiscard]] bool has_jobs() const override { return source_.has_jobs(); }
    [[nodiscard]] TimePs ask_again_at() const override { return source_.ask_again_at(); }
    void answered(std::uint32_t job) override { source_.answered(job); }

  private:
    WindowSource& source_;
    const WriteBuffer& buffer_;
};

} // namespace

WindowProcesses::WindowProcesses(UntimedDrive& drive, const HostInterface::Params& host,
                                 const SamplingPlan& plan, std::uint32_t jobs, SharedFile& file)
    : drive_(drive), host_(host), plan_(plan), jobs_(jobs),
      fills_buffer_(BufferLevel::matters(drive.core())),
      shared_(file.map(1 + plan.windows() *
                               (sizeof(Record) + plan.measured * sizeof(MeasuredRequest)))) {
    host_.warmup = 0;
    host_.ramp = 0;
}

WindowProcesses::~WindowProcesses() {
    for (const pid_t process : running_) {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
    }
}

WindowProcesses::Record& WindowProcesses::record(std::size_t window) const {
    return static_cast<Record*>(shared_)[window];
}

MeasuredRequest* WindowProcesses::requests(std::size_t window) const {
    auto* all = static_cast<std::byte*>(shared_) + plan_.windows() * sizeof(Record);
    return reinterpret_cast<MeasuredRequest*>(all) + window * plan_.measured;
}

std::uint64_t WindowProcesses::most_lead() const {
    constexpr std::uint64_t kRequestsPerPage = 8;
    return fills_buffer_ ? kRequestsPerPage * drive_.core().buffer()->frames() : 0;
}

std::uint64_t WindowProcesses::most_before() const {
    return plan_.most_warmup + most_lead();
}

std::uint64_t WindowProcesses::requests_so_far() const {
    std::uint64_t requests = 0;
    for (std::size_t op = 0; op < kRequestOps; ++op) {
        requests += drive_.count(static_cast<RequestOp>(op)).requests;
    }
    return requests;
}

bool WindowProcesses::collects() const {
    const FtlCounters& ftl = drive_.core().ftl().counters();
    return ftl.gc_runs + ftl.merges_switch + ftl.merges_partial + ftl.merges_full != 0;
}

WindowApproach WindowProcesses::approach(std::size_t window) {
    if (plan_.is_pilot(window)) {
        return {};
    }
    WindowApproach found;
    found.warmup =
        collects() ? std::min(kCollecting * plan_.warmup, plan_.most_warmup) : plan_.warmup;
    if (fills_buffer_) {
        const std::uint64_t place = plan_.place_of(window);
        level_told_ = level_before(window, place - std::min(place, found.warmup));
        found.lead = lead_to(level_told_);
    }
    return found;
}

/// As many as it takes, by the run so far and with a quarter to spare, until the buffer is as full
/// as it has to be.
std::uint64_t WindowProcesses::lead_to(double level) const {
    const WriteBuffer& buffer = *std::as_const(drive_).core().buffer();
    const auto brought = static_cast<double>(buffer.counters().write_misses);
    const double pages = 1.25 * std::max(0.0, level - buffer.used());
    const auto most = static_cast<double>(most_lead());
    return static_cast<std::uint64_t>(
        brought == 0 ? 0
                     : std::min(most, pages * static_cast<double>(requests_so_far()) / brought));
}

/// A window that begins while the pilot was at work finds the buffer as that did. Those behind it
/// are told by windows before them, which have seen where it was going.
double WindowProcesses::level_before(std::size_t window, std::uint64_t begin) {
    const std::size_t told_by = window - std::min(window, kLag);
    while (ended_ <= told_by) {
        wait_for_one();
    }
    const Record& pilot = record(0);
    if (begin < pilot.played) {
        return pilot.levels[begin / level_step(plan_)];
    }
    const Record& before = record(told_by);
    if (before.begin < pilot.played) {
        return pilot.level_found;
    }
    const double drift = before.level_found - before.level_begun;
    const double farthest = static_cast<double>(begin - before.begin) /
                            static_cast<double>(std::max<std::uint64_t>(before.played, 1));
    reach_ = std::min(drift * drift_ > 0 ? 2 * reach_ : std::max(reach_ / 2, 1.0), farthest);
    drift_ = drift;
    return std::clamp(before.level_begun + reach_ * drift, 0.0,
                      static_cast<double>(drive_.core().buffer()->frames()));
}

bool WindowProcesses::fork_for(std::size_t window) {
    while (running_.size() >= std::max(jobs_, 2u) - 1) {
        wait_for_one();
    }
    record(window).state = Record::State::kBegun;
    const pid_t run = getpid();
    const pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != run) {
            _exit(0);
        }
        if (fills_buffer_ && !plan_.is_pilot(window)) {
            level_.emplace(drive_.core(), static_cast<std::uint32_t>(level_told_ + 0.5));
        }
        return true;
    }
    if (process < 0) {
        throw ModelError(std::string("a process for a window cannot be begun: ") +
                         std::strerror(errno));
    }
    running_.push_back(process);
    if (jobs_ == 1) {
        wait_for_one();
    }
    return false;
}

void WindowProcesses::play(std::size_t window, SampledSource& source) {
    try {
        measure(window, source);
    } catch (const std::exception& error) {
        std::strncpy(record(window).error, error.what(), sizeof(Record::error) - 1);
        record(window).state = Record::State::kFailed;
    }
    _exit(0); // what the run has opened is the run's to close
}

void WindowProcesses::measure(std::size_t window, SampledSource& source) {
    if (level_) {
        level_->release();
    }
    Record& to = record(window);
    WindowSource requests_of_it(source);
    std::optional<PilotSource> pilot;
    if (plan_.is_pilot(window)) {
        pilot.emplace(requests_of_it, *drive_.core().buffer());
    }
    WindowLog log(source.warmup(), plan_.measured, requests_of_it, plan_.is_pilot(window));
    SsdProbes probes;
    probes.requests = &log;
    auto flash = std::make_unique<SsdFlash>(SsdFlash{drive_.take_array(), nullptr});
    // Never destroyed: parts of the drive that has gone on without time refer to its core.
    Ssd& ssd = *new Ssd("ssd", drive_.config(), drive_.take_core(),
                        pilot ? static_cast<RequestSourceIf&>(*pilot) : requests_of_it, host_,
                        probes, std::move(flash));
    log.look_at(ssd.buffer_manager());
    to.begin = source.begin();
    to.level_begun = ssd.buffer_manager().frames_in_use();
    ssd.run_ahead();
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report& report) {
        rethrow_kernel_error(report, ssd.core());
    }
    // What Ssd::check_end_of_run() looks at besides takes longer the larger the drive is.
    (void)ssd.host().check_idle();
    (void)ssd.buffer_manager().check_idle();
    (void)ssd.scheduler().check_idle();
    std::copy(log.requests().begin(), log.requests().end(), requests(window));
    to.measured = log.measured();
    to.played = log.played();
    to.span = log.span();
    to.bytes = log.bytes();
    to.backlog = log.backlog();
    to.level_found = log.level();
    for (std::size_t i = 0; pilot && i < kLevels; ++i) {
        to.levels[i] = log.level_after(i * level_step(plan_));
    }
    to.state = Record::State::kMeasured;
}

/// Windows are of one length: the first to have begun is about the first to end.
void WindowProcesses::wait_for_one() {
    while (waitpid(running_.front(), nullptr, 0) < 0 && errno == EINTR) {
    }
    running_.erase(running_.begin());
    ++ended_;
}

std::vector<Window> WindowProcesses::finish() {
    while (!running_.empty()) {
        wait_for_one();
    }
    std::vector<Window> windows;
    for (std::size_t window = 0; window < plan_.windows(); ++window) {
        const Record& of = record(window);
        const std::string name = "window " + std::to_string(window) + ", before request " +
                                 std::to_string(plan_.place_of(window)) + ": ";
        switch (of.state) {
        case Record::State::kNotBegun:
            break;
        case Record::State::kBegun:
            throw ModelError(name + "its process was killed");
        case Record::State::kFailed:
            throw ModelError(name + of.error);
        case Record::State::kMeasured:
            if (!plan_.is_pilot(window) && of.measured == plan_.measured) {
                const MeasuredRequest* first = requests(window);
                windows.push_back(
                    {{first, first + of.measured}, of.span, of.bytes, of.backlog, {}});
                if (fills_buffer_ && of.begin >= record(0).played) {
                    windows.back().level_change = of.level_found - of.level_begun;
                }
            }
            break;
        }
    }
    return windows;
}

std::uint64_t WindowProcesses::detailed() const {
    std::uint64_t all = 0;
    for (std::size_t window = 0; window < plan_.windows(); ++window) {
        all += record(window).played;
    }
    return all;
}

} // namespace cavern
