#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"

namespace cavern {

/// Tracks on which requests that overlap do not: each goes to the first that is free again by its
/// arrival. They come in the order of completion, so that what a track has had ends last.
class RequestLanes {
  public:
    [[nodiscard]] std::uint32_t place(TimePs arrival, TimePs completed) {
        std::uint32_t lane = 0;
        while (lane < ends_.size() && ends_[lane] > arrival) {
            ++lane;
        }
        if (lane == ends_.size()) {
            ends_.push_back(0);
        }
        ends_[lane] = completed;
        return lane;
    }

  private:
    std::vector<TimePs> ends_;
};

} // namespace cavern
