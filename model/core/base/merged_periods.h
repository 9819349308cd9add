#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cavern {

/// What happened period by period of equal length, in memory that does not grow with the run: when
/// there are too many, each two become one. A `Period` has append(next).
template <typename Period>
class MergedPeriods {
  public:
    static constexpr std::size_t kMost = 128;

    MergedPeriods() { periods_.reserve(kMost); }

    /// Moves a complete one behind the others; `period` is empty then. False: there were too many.
    /// Each two have become one, and this one, which is not taken, is the first half of the next.
    [[nodiscard]] bool take(Period& period) {
        if (periods_.size() < kMost) {
            periods_.push_back(std::exchange(period, {}));
            return true;
        }
        for (std::size_t i = 0; i < kMost / 2; ++i) {
            Period both = std::move(periods_[2 * i]);
            both.append(periods_[2 * i + 1]);
            periods_[i] = std::move(both);
        }
        periods_.resize(kMost / 2);
        return false;
    }

    [[nodiscard]] const std::vector<Period>& all() const { return periods_; }

  private:
    std::vector<Period> periods_;
};

} // namespace cavern
