#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/decision_log.h"
#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"

namespace cavern {

/// How fast a block is emptied while the host writes: so much work is due with each of its pages
/// that the free pages stay as they are.
class Pace {
  public:
    /// Work and gain count for one part in `averaged` of their averages over the last victims, and
    /// a victim is taken to bring at least `least` pages.
    explicit Pace(std::int64_t averaged = 1, std::int64_t least = 1)
        : averaged_(averaged), least_(least) {}

    /// A block that takes `work` copies, and brings `gain` pages.
    void begin(std::int64_t work, std::int64_t gain) {
        const bool first = work_sum_ == 0;
        const auto average = [&](std::int64_t& sum, std::int64_t value) {
            sum = averaged_ == 1 ? value
                                 : sum + (first ? averaged_ * value : value - sum / averaged_);
        };
        average(work_sum_, work);
        average(gain_sum_, gain);
        work_ = static_cast<std::uint64_t>(work_sum_);
        gain_ = static_cast<std::uint64_t>(std::max(gain_sum_, averaged_ * least_));
        owed_ = 0;
    }
    /// A block that brings none: so many copies with each page.
    void begin_aside(std::uint32_t copies) {
        work_ = copies;
        gain_ = 1;
        owed_ = 0;
    }
    /// A page of the host is about to be taken: the copies that are due, a multiple of `together`.
    [[nodiscard]] std::uint32_t due(std::uint32_t together) {
        owed_ += work_;
        const auto owed = static_cast<std::uint32_t>(owed_ / gain_);
        const std::uint32_t copies = owed - owed % together;
        owed_ -= copies * gain_;
        return copies;
    }

  private:
    std::int64_t averaged_;
    std::int64_t least_;
    std::int64_t work_sum_ = 0;
    std::int64_t gain_sum_ = 0;
    std::uint64_t work_ = 0;
    std::uint64_t gain_ = 1;
    std::uint64_t owed_ = 0; ///< work due, times the gain
};

/// A block whose valid pages are moved, in steps or at once.
struct Emptying {
    static constexpr std::uint32_t kAll = 0xFFFF'FFFFu; ///< units of work

    std::uint32_t number = 0; ///< BlockId + 1; 0: none
    std::uint32_t next = 0;   ///< page of it looked at next
    Origin origin = Origin::kGc;
    std::uint32_t copied = 0;           ///< pages, so far
    std::int32_t last = FlashOp::kNone; ///< operation of this decision that its erase waits for

    [[nodiscard]] bool is_none() const { return number == 0; }
    [[nodiscard]] BlockId block() const { return BlockId{number - 1}; }
};

} // namespace cavern
