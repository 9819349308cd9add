#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// What takes turns on a link, as the times at which it is taken. Each gets the first gap that is
/// long enough, so that what is asked for ahead (the answer to a read that is still on its way)
/// does not hold up what comes before it. What has no gap between it is kept as one stretch.
class LinkTimeline {
  public:
    /// Takes the link for `duration`, not before `from`, which is not before `now`; returns when
    /// that ends. `now` never decreases.
    TimePs take(TimePs now, TimePs from, TimePs duration);
    /// Time taken up to `now`.
    [[nodiscard]] TimePs busy(TimePs now) const {
        TimePs ahead = 0;
        for (const Stretch& stretch : taken_) {
            ahead += stretch.end > now ? stretch.end - std::max(stretch.begin, now) : 0;
        }
        return busy_ - ahead;
    }

  private:
    struct Stretch {
        TimePs begin;
        TimePs end;
    };

    std::vector<Stretch> taken_; ///< in order of time, never touching
    TimePs busy_ = 0;
};

} // namespace cavern
