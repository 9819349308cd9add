#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/random.h"
#include "workload/fio_job.h"
#include "workload/request.h"

namespace cavern {

/// When a job of fio may send its next request: the room in its queue, the rates of its directions,
/// its pauses. backend.c and io_u.c of fio 3.33.
class FioPace {
  public:
    /// `job` outlives it. `timed`: there is a time; else rates and pauses hold nobody up.
    FioPace(const FioJob& job, bool timed);
    /// The job begins.
    void begin(TimePs now);
    /// Whether it may not send at `now`. What it waits for is an answer, or resumes_at().
    [[nodiscard]] bool waits(TimePs now);
    [[nodiscard]] TimePs resumes_at() const { return resumes_at_; }
    /// No time of a job lies behind it.
    static constexpr TimePs kEndOfTime = std::numeric_limits<std::int64_t>::max(); // 106 days
    /// The direction that may send now; absent: none may, and it pauses.
    [[nodiscard]] std::optional<FioDirection> by_rate(FioDirection direction, TimePs now);
    [[nodiscard]] bool has_paused() const { return paused_.has_value(); }
    /// The direction that by_rate() has paused for; it is told once.
    [[nodiscard]] std::optional<FioDirection> take_paused();
    /// What is under way ends, and then so much time passes.
    void pause(TimePs length);

    /// A request of data is made.
    void made(FioDirection direction, std::uint64_t bytes, Random& random);
    /// A request is sent.
    void sent(RequestOp op);
    void answered();
    [[nodiscard]] bool idle() const { return outstanding_ == 0; }

  private:
    struct Rate {
        std::uint64_t bytes_per_second = 0; ///< 0: none is said
        TimePs due = 0;                     ///< since the job began
        TimePs gaps = 0;                    ///< sum of those drawn, with rate_process=poisson
        std::uint64_t bytes = 0;
    };

    void think(TimePs now);
    [[nodiscard]] Rate& of(FioDirection direction) { return rates_[index_of(direction)]; }

    const FioJob& job_;
    bool timed_;
    TimePs begin_ = 0;
    std::array<Rate, 3> rates_;
    std::optional<FioDirection> paused_; ///< for this one
    std::uint32_t outstanding_ = 0;
    std::uint64_t answers_ = 0;
    std::uint64_t answers_wanted_ = 0; ///< before a queue that was full is filled again
    bool blocked_ = false;             ///< by a flush or a TRIM, until all is answered
    bool drains_ = false;              ///< before pause_
    TimePs pause_ = 0;
    TimePs resumes_at_ = 0;
    // thinktime
    std::uint64_t made_ = 0;
    bool may_think_ = false;       ///< a request was made since that was asked
    std::uint64_t thought_at_ = 0; ///< requests before the last one
    TimePs thought_since_ = 0;
    FioDirection last_ = FioDirection::kRead;
};

} // namespace cavern
