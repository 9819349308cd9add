#pragma once

#include <algorithm>
#include <chrono>

#include "core/base/units.h"

namespace cavern {

/// How the time of the drive follows the time on the wall.
struct ServeTime {
    /// 0: it does not; time goes on as fast as the drive can be computed while it has something to
    /// do for a host, and stands still otherwise. Else that number of seconds on the wall is one
    /// second of the drive.
    double wall_seconds = 0;
    [[nodiscard]] bool is_free() const { return wall_seconds == 0; }
};

/// Time of a request and its answer between client and server, which is no time of the drive. It
/// takes a client longer to wake up, and to find its data in the caches, the longer it has waited.
struct Transport {
    using Span = std::chrono::steady_clock::duration;
    static constexpr Span kShort = std::chrono::microseconds(50);
    static constexpr Span kLong = std::chrono::microseconds(400);

    Span after_short{}; ///< behind an answer for which the client has waited kShort, or less
    Span after_long{};  ///< kLong, or more
    [[nodiscard]] Span after(Span waited) const {
        const Span beyond = std::clamp(waited, kShort, kLong) - kShort;
        return after_short + (after_long - after_short) * beyond.count() / (kLong - kShort).count();
    }
};

/// Both times, side by side from now on. With a clock that is not free a request is dated back by
/// what its transport takes, as far as the drive has not gone on.
class ServeClock {
  public:
    using Wall = std::chrono::steady_clock;

    ServeClock(ServeTime time, TimePs drive_now, const Transport& transport = {})
        : time_(time), wall_start_(Wall::now()), drive_start_(drive_now), measured_(transport),
          transport_(transport.after_short) {}

    [[nodiscard]] bool is_free() const { return time_.is_free(); }
    [[nodiscard]] const Transport& measured() const { return measured_; }
    /// Transport of the next request, behind the last answer.
    [[nodiscard]] Wall::duration transport() const { return transport_; }
    /// An answer has been sent.
    void answered(Wall::time_point now) {
        transport_ = measured_.after(now - answered_);
        answered_ = now;
    }
    /// The time of the drive at a time on the wall. Not of a free clock.
    [[nodiscard]] TimePs drive_time(Wall::time_point wall) const {
        if (wall <= wall_start_) {
            return drive_start_;
        }
        const std::chrono::duration<double, std::pico> passed = wall - wall_start_;
        return drive_start_ + static_cast<TimePs>(passed.count() / time_.wall_seconds);
    }
    /// When a time of the drive is due on the wall.
    [[nodiscard]] Wall::time_point wall_time(TimePs drive) const {
        return wall_start_ + on_the_wall(drive - drive_start_);
    }
    [[nodiscard]] Wall::duration on_the_wall(TimePs span) const {
        const std::chrono::duration<double, std::pico> passed(static_cast<double>(span) *
                                                              time_.wall_seconds);
        return std::chrono::duration_cast<Wall::duration>(passed);
    }

  private:
    ServeTime time_;
    Wall::time_point wall_start_;
    TimePs drive_start_;
    Transport measured_;
    Wall::duration transport_;
    Wall::time_point answered_{}; ///< the last time
};

} // namespace cavern
