#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ring.h"
#include "sampling/sampling_plan.h"
#include "workload/request.h"

namespace cavern {

class SampledSource;

/// How a window is come to.
struct WindowApproach {
    std::uint64_t warmup = 0; ///< requests before those measured, played in time
    std::uint64_t lead = 0;   ///< before those, played without time in the process of the window
};

/// Who plays windows, each in a process of its own.
class WindowPlayerIf {
  public:
    virtual ~WindowPlayerIf() = default;
    /// The most requests that an approach may have.
    [[nodiscard]] virtual std::uint64_t most_before() const = 0;
    /// Asked so many requests before the first one measured, or later if there are not so many.
    [[nodiscard]] virtual WindowApproach approach(std::size_t window) = 0;
    /// Forks the process of a window; true in that process. Those before have been decided.
    [[nodiscard]] virtual bool fork_for(std::size_t window) = 0;
    /// Plays the window, in its process, which it ends.
    [[noreturn]] virtual void play(std::size_t window, SampledSource& source) = 0;
};

/// The workload of a sampled run. It says when a window begins, and in the process of the window it
/// has the requests of that (WindowSource).
class SampledSource final : public RequestSourceIf {
  public:
    /// All must outlive it. What has no jobs is read ahead to the end of a window: a file that two
    /// processes read has one position.
    SampledSource(RequestSourceIf& source, const SamplingPlan& plan, WindowPlayerIf& player);

    bool next(HostRequest& request) override {
        if (given_ == stop_) {
            stop();
        }
        return give(request);
    }
    [[nodiscard]] bool has_jobs() const override { return has_jobs_; }
    [[nodiscard]] TimePs ask_again_at() const override { return source_.ask_again_at(); }
    void answered(std::uint32_t job) override;

    /// In the process of a window: the requests of its warm-up, fewer than were asked for where the
    /// run has not so many before it.
    [[nodiscard]] std::uint64_t warmup() const { return plan_.place_of(window_) - begin_; }
    [[nodiscard]] std::uint64_t begin() const { return begin_; }
    [[nodiscard]] std::uint64_t length() const { return plan_.length_of(window_, warmup()); }

    /// Arrival of the first request that counts, and of the last one.
    [[nodiscard]] TimePs first_arrival() const { return first_arrival_; }
    [[nodiscard]] TimePs last_arrival() const { return last_arrival_; }

  private:
    friend class WindowSource;

    static constexpr std::uint64_t kNoStop = ~std::uint64_t{0};
    enum class Step : std::uint8_t { kApproach, kFork, kPlay };

    void stop();
    void await_next();
    void read_window();
    [[nodiscard]] bool give(HostRequest& request);
    [[nodiscard]] bool fetch(HostRequest& request);

    RequestSourceIf& source_;
    const SamplingPlan& plan_;
    WindowPlayerIf& player_;
    bool has_jobs_;
    std::size_t window_ = 0;
    Step step_ = Step::kApproach;  ///< what is to be done for it
    std::uint64_t stop_ = kNoStop; ///< before which request
    std::uint64_t begin_ = 0;      ///< the first request of the window
    std::uint64_t given_ = 0;
    Ring<HostRequest> ahead_;
    Ring<std::uint32_t> unanswered_; ///< jobs whose requests are
    TimePs first_arrival_ = 0;
    TimePs last_arrival_ = 0;
};

/// The requests of a window, from where the run has come to, in the process of that window. Its
/// clock begins with the first of them.
class WindowSource final : public RequestSourceIf {
  public:
    explicit WindowSource(SampledSource& run);

    bool next(HostRequest& request) override;
    [[nodiscard]] bool has_jobs() const override { return run_.has_jobs_; }
    [[nodiscard]] TimePs ask_again_at() const override {
        return ended() ? kNever : run_.source_.ask_again_at();
    }
    void answered(std::uint32_t job) override { run_.source_.answered(job); }

    /// No more after those given.
    void end() { left_ = 0; }
    [[nodiscard]] bool ended() const { return left_ == 0; }

  private:
    SampledSource& run_;
    std::uint64_t left_;
    TimePs begin_ = kNever;
};

} // namespace cavern
