#pragma once

#include <optional>
#include <vector>

#include "core/base/random.h"
#include "workload/fio_job.h"
#include "workload/fio_map.h"
#include "workload/position.h"
#include "workload/request.h"

namespace cavern {

/// The jobs of a fio job file as one stream. Each does what fio 3.33 does: order of directions,
/// sizes and places, passes and limits, queue, rates and pauses, by the algorithms of its source
/// (io_u.c, backend.c, file.c: `map` is its axmap). Random numbers are others. Deterministic in
/// jobs, seed, clock and answers.
///
/// What fio's threads do at the same time goes round here: each job that may send something is
/// asked in turn. A request is sent when it is asked for.
class FioSource final : public RequestSourceIf, public PositionIf {
  public:
    using Clock = TimePs (*)();

    /// On a drive of `capacity` bytes; `folds`: what lies beyond is folded into it. `clock` tells
    /// the time of the run; null: there is none, and no rate, pause, delay or runtime is looked at.
    /// Throws UserError naming the job that does not fit on the drive.
    FioSource(FioJobs jobs, std::uint64_t capacity, bool folds, std::uint64_t run_seed,
              Clock clock);
    bool next(HostRequest& request) override;
    [[nodiscard]] bool has_jobs() const override { return true; }
    void answered(std::uint32_t job) override;
    [[nodiscard]] TimePs ask_again_at() const override { return wake_; }
    [[nodiscard]] SourcePosition position() const override;

  private:
    struct Direction {
        RandomPlace places;
        std::uint64_t rate = 0;     ///< bytes per second; 0: none
        std::uint64_t last_end = 0; ///< where the next one in order begins
        std::uint64_t last_begin = 0;
        bool begun = false; ///< in this pass
        std::uint64_t issued = 0;
        TimePs next_time = 0; ///< by its rate, since the job began
        std::uint64_t rate_bytes = 0;
        TimePs poisson_time = 0;
    };
    struct Chosen {
        FioDirection direction = FioDirection::kRead;
        bool flush = false;
    };
    enum class State : std::uint8_t { kWaits, kRuns, kEnds, kEnded };
    struct Job {
        Job(const FioJob& job, const FioRegion& on, std::uint64_t seed_of_job);

        const FioJob* spec;
        FioRegion region;
        std::uint64_t seed;
        Random random;
        std::vector<Direction> directions; ///< in the order of FioDirection
        std::optional<FioMap> map;
        State state = State::kWaits;
        TimePs begin = 0;
        std::uint64_t file_offset; ///< moves with strided zones
        std::uint64_t zone_bytes = 0;
        std::uint64_t bytes = 0; ///< that count towards the limit: not what a trimwrite trims
        std::uint64_t all_bytes = 0;
        std::uint64_t requests = 0; ///< no flushes
        std::uint64_t loops_left;
        bool file_done = false;
        std::uint64_t requests_before = 0; ///< of this pass; one without any is the last
        bool last_was_flush = false;
        std::uint32_t in_sequence = 1; ///< requests until the next random place
        std::optional<Chosen> chosen;  ///< and waiting for its time
        // The queue.
        std::uint32_t outstanding = 0;
        std::uint64_t answers = 0;
        std::uint64_t answers_wanted = 0; ///< before a queue that was full is filled again
        bool blocked = false;             ///< by a flush or a TRIM, until all is answered
        // A pause: what is under way ends, then so much time passes.
        bool drains = false;
        TimePs pause = 0;
        TimePs resumes_at = 0;
        bool may_think = false;       ///< a request was sent since that was asked
        std::uint64_t thought_at = 0; ///< requests before the last thinktime
        TimePs thought_since = 0;
        FioDirection last_direction = FioDirection::kRead;
        std::uint64_t flow_count = 0;
        std::vector<std::uint64_t> zones; ///< zbd: bytes written of each
        std::optional<HostRequest> held;  ///< a write whose zone is reset first
    };
    struct Flow {
        std::uint32_t id;
        std::uint64_t weight = 0;
        std::uint64_t count = 1;
    };

    void begin_jobs(TimePs now);
    [[nodiscard]] bool ended(std::size_t first, std::size_t end) const;
    void end(Job& job);
    bool step(Job& job, TimePs now, HostRequest& request);
    [[nodiscard]] bool waits(Job& job, TimePs now);
    [[nodiscard]] bool flow_holds(Job& job, TimePs now);
    void leave_flow(const Job& job);
    [[nodiscard]] static TimePs end_of(const Job& job);
    [[nodiscard]] static bool is_full(const Job& job);
    [[nodiscard]] static bool another_pass(Job& job);
    static void begin_pass(Job& job);
    [[nodiscard]] std::optional<Chosen> choose(Job& job, TimePs now);
    [[nodiscard]] std::optional<FioDirection> by_rate(Job& job, FioDirection direction, TimePs now);
    [[nodiscard]] static bool fill(Job& job, FioDirection direction, HostRequest& request);
    static void queue_flush(Job& job, TimePs now, HostRequest& request);
    [[nodiscard]] static std::optional<std::uint64_t> place(Job& job, FioDirection direction,
                                                            bool& random);
    [[nodiscard]] static std::optional<std::uint64_t> random_place(Job& job,
                                                                   FioDirection direction);
    [[nodiscard]] static std::optional<std::uint64_t> drawn_place(Job& job, FioDirection direction);
    [[nodiscard]] static std::optional<std::uint64_t> following_place(Job& job,
                                                                      FioDirection direction);
    static void move_zone(Job& job, FioDirection direction);
    [[nodiscard]] static std::uint32_t size_of(Job& job, FioDirection direction,
                                               std::uint64_t place);
    static void sent(Job& job, FioDirection direction, HostRequest& request);
    static void queue(Job& job, TimePs now, HostRequest& request);
    static void think(Job& job, TimePs now);

    FioJobs jobs_;
    std::vector<Job> running_;
    std::vector<Flow> flows_;
    Clock clock_;
    TimePs wake_ = kNever;
    std::size_t last_ = 0;
    std::uint64_t made_ = 0;
};

} // namespace cavern
