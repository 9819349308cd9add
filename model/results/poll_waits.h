#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/units.h"

namespace cavern {

/// Status polls, told together: those of one operation of a die, which may be thousands.
class PollWaits {
  public:
    /// From the first poll to the end of the one that found the array ready.
    struct Wait {
        std::uint64_t polls = 0; ///< 0: there is no such wait
        TimePs begin = 0;
        TimePs end = 0;
        TimePs bus = 0; ///< that the polls took
    };

    explicit PollWaits(std::uint32_t dies) : open_(dies) {}

    /// Whether the channel calls the phase a poll.
    [[nodiscard]] static bool is_poll(std::string_view phase) { return phase == "status"; }
    void add(DieId die, TimePs start, TimePs duration) {
        Wait& wait = open_[raw(die)];
        wait.begin = wait.polls == 0 ? start : wait.begin;
        wait.end = start + duration;
        wait.bus += duration;
        ++wait.polls;
    }
    /// Any other phase of the die ends its wait.
    [[nodiscard]] Wait take(DieId die) { return std::exchange(open_[raw(die)], {}); }

  private:
    std::vector<Wait> open_; ///< by die
};

} // namespace cavern
