#pragma once

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
    /// Time taken so far, and what is still to come.
    [[nodiscard]] TimePs busy() const { return busy_; }

  private:
    struct Stretch {
        TimePs begin;
        TimePs end;
    };

    std::vector<Stretch> taken_; ///< in order of time, never touching
    TimePs busy_ = 0;
};

} // namespace cavern
