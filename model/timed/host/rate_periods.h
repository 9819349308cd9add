#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/merged_periods.h"
#include "core/base/request_op.h"
#include "core/base/statistics.h"
#include "core/base/units.h"

namespace cavern {

/// What the host saw, and what its drive programmed for it, period by period of simulated time. A
/// request costs its class and a look at the clock: the rest is what the totals grew by in a
/// period, which are read when it is over. A request is of the period in which it is answered.
class RatePeriods {
  public:
    static constexpr TimePs kFirst = 100 * kUs;
    /// Buckets of a Histogram that are one class here: its values differ by 1/16 at most, or by
    /// 128.
    static constexpr std::size_t kBuckets = 128;
    static constexpr std::size_t kClasses = Histogram::bucket_of(~std::uint64_t{0}) / kBuckets + 1;

    /// Requests of one kind.
    struct Kind {
        [[nodiscard]] std::uint64_t mean() const {
            return count == 0 ? 0 : (latency + count / 2) / count;
        }
        /// Not below the latency that at least a share `q` does not exceed, and within its class.
        [[nodiscard]] std::uint64_t quantile(double q) const;
        /// So many more, with their latencies added up, and by class as far as that of the longest.
        void add(std::uint64_t more, std::uint64_t more_bytes, std::uint64_t more_latency,
                 std::uint64_t their_longest, const std::uint32_t* their_classes);

        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
        std::uint64_t latency = 0; ///< ns, added up
        std::uint64_t longest = 0;
        std::vector<std::uint32_t> classes; ///< up to that of the longest
    };
    /// Of reads and writes.
    static constexpr std::size_t kKinds = 2;
    struct Period {
        void append(const Period& next);

        std::array<Kind, kKinds> kinds;
        std::uint64_t programs = 0; ///< mapping units
    };

    /// The first period begins, with all totals at 0.
    void begin(TimePs at);
    /// A request of this kind is answered; `bucket` is that of its latency.
    void add(std::size_t op, std::size_t bucket, std::uint64_t latency_ns) {
        Recent& recent = recent_[op];
        ++recent.classes[bucket / kBuckets];
        recent.longest = std::max(recent.longest, latency_ns);
    }
    [[nodiscard]] bool is_over(TimePs now) const { return now >= edge_; }
    /// All periods that are over. `totals` lack classes.
    void close(TimePs now, const Period& totals);
    /// With the last one, as far as `end`.
    [[nodiscard]] RatePeriods ended(TimePs end, const Period& totals) const;

    [[nodiscard]] TimePs begins() const { return begins_; }
    [[nodiscard]] TimePs ends() const { return ends_; }
    /// Of each period but the last.
    [[nodiscard]] TimePs length() const { return length_; }
    [[nodiscard]] const std::vector<Period>& all() const { return periods_.all(); }

  private:
    struct Recent {
        std::array<std::uint32_t, kClasses> classes{};
        std::uint64_t longest = 0;
    };

    void collect(const Period& totals);

    std::array<Recent, kRequestOps> recent_; ///< since the totals were read
    TimePs edge_ = kNever;                   ///< the end of the period; kNever: none has begun
    TimePs begins_ = 0;
    TimePs ends_ = 0;
    TimePs length_ = kFirst;
    Period now_;    ///< what was read of the period that is not over
    Period totals_; ///< when they were read last
    MergedPeriods<Period> periods_;
};

} // namespace cavern
