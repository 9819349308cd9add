#pragma once

#include <optional>
#include <vector>

#include "core/base/random.h"
#include "workload/fio_job.h"
#include "workload/fio_pace.h"
#include "workload/fio_places.h"
#include "workload/position.h"
#include "workload/request.h"

namespace cavern {

/// The jobs of a fio job file as one stream. Each does what fio 3.33 does, by the algorithms of its
/// source: this decides which job goes on, what it sends next and when it has done all (backend.c,
/// flow.c), FioPace when it may, FioPlaces where. Random numbers are others. Deterministic in jobs,
/// seed, clock and answers.
///
/// What fio's threads do at the same time goes round here: each job that may send something is
/// asked in turn. A request is sent when it is asked for.
class FioSource final : public RequestSourceIf, public PositionIf {
  public:
    using Clock = TimePs (*)();

    /// On a drive of `capacity` bytes; `folds`: what lies beyond is folded into it. `clock` tells
    /// the time of the run; null: there is none, and no rate, pause, delay or runtime is looked at.
    /// Throws UserError naming the job that does not fit on the drive.
    /// `only`: this job alone has requests, which are those that it has beside the others; it waits
    /// for none of them.
    FioSource(FioJobs jobs, std::uint64_t capacity, bool folds, std::uint64_t run_seed, Clock clock,
              std::optional<std::size_t> only = std::nullopt);
    /// Throws UserError naming the job that waits for longer than 106 days.
    bool next(HostRequest& request) override;
    [[nodiscard]] bool has_jobs() const override { return true; }
    void answered(std::uint32_t job) override { running_[job].pace.answered(); }
    [[nodiscard]] TimePs ask_again_at() const override { return wake_; }
    [[nodiscard]] SourcePosition position() const override;

  private:
    enum class State : std::uint8_t { kWaits, kRuns, kEnds, kEnded };
    struct Job {
        Job(const FioJob& job, const FioRegion& on, std::uint64_t seed_of_job, bool timed)
            : spec(&job), limit(on.limit), seed(seed_of_job), random(seed), places(job, on),
              pace(job, timed), begin(job.start_delay), loops_left(job.loops) {}

        const FioJob* spec;
        std::uint64_t limit; ///< bytes, of each loop
        std::uint64_t seed;
        Random random;
        FioPlaces places;
        FioPace pace;
        State state = State::kWaits;
        TimePs begin; ///< not before; then, when it began
        std::uint64_t loops_left;
        std::uint64_t bytes = 0; ///< that count towards the limit: not what a trimwrite trims
        std::uint64_t all_bytes = 0;
        std::uint64_t requests = 0; ///< no flushes
        std::uint64_t writes = 0;
        std::uint64_t requests_before = 0; ///< of this pass; one without any is the last
        bool file_done = false;
        bool last_was_flush = false;
        std::uint64_t flow_count = 0;
        std::optional<HostRequest> held; ///< a write whose zone is reset first
    };
    /// Jobs that share what they send by their weights.
    struct Flow {
        std::uint32_t id;
        std::uint64_t weight = 0; ///< of those that run
        std::uint64_t count = 1;
    };

    void begin_jobs(TimePs now);
    [[nodiscard]] bool ended(std::size_t first, std::size_t end) const;
    void end(Job& job);
    [[nodiscard]] bool step(Job& job, TimePs now, HostRequest& request);
    [[nodiscard]] bool waits(Job& job, TimePs now);
    [[nodiscard]] bool flow_holds(Job& job);
    [[nodiscard]] Flow& flow_of(const Job& job);
    [[nodiscard]] static TimePs end_of(const Job& job);
    [[nodiscard]] static bool is_full(const Job& job);
    [[nodiscard]] static bool another_pass(Job& job);
    static void end_pass(Job& job);
    [[nodiscard]] static bool flush_is_due(const Job& job);
    [[nodiscard]] static std::optional<FioDirection> choose(Job& job, TimePs now);
    [[nodiscard]] static bool make(Job& job, FioDirection direction, HostRequest& request);
    static void make_flush(HostRequest& request);
    static void send(Job& job, TimePs now, HostRequest& request);

    FioJobs jobs_;
    std::vector<Job> running_;
    std::vector<Flow> flows_;
    Clock clock_;
    TimePs wake_ = kNever;
    /// When a job that waits for nothing else begins; 0: it is not known who does.
    TimePs begins_ = 0;
    std::size_t last_ = 0;
};

} // namespace cavern
