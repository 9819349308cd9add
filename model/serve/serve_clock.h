#pragma once

#include <chrono>
#include <cstdint>

#include "core/base/units.h"

namespace cavern {

/// How the time of the drive follows the time on the wall.
struct ServeTime {
    /// 0: it does not; time goes on as fast as the drive can be computed while it has something to
    /// do for a host, and stands still otherwise. Else so many seconds on the wall are one of the
    /// drive.
    double wall_seconds = 0;
    [[nodiscard]] bool is_free() const { return wall_seconds == 0; }
};

/// Both times, side by side from now on. Of a clock that is not free `transport` is what a request
/// and its answer take between client and server, which is no time of the drive: a request is dated
/// back by it, as far as the drive has not gone on.
class ServeClock {
  public:
    using Wall = std::chrono::steady_clock;

    ServeClock(ServeTime time, TimePs drive_now, Wall::duration transport = {})
        : time_(time), wall_start_(Wall::now()), drive_start_(drive_now), transport_(transport) {}

    [[nodiscard]] bool is_free() const { return time_.is_free(); }
    [[nodiscard]] Wall::duration transport() const { return transport_; }
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
    Wall::duration transport_;
};

} // namespace cavern
