#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/request_op.h"
#include "core/base/statistics.h"
#include "sampling/window.h"

namespace cavern {

/// What a sample says of a figure of the whole run: the whole run's lies between these, at the
/// confidence asked for.
struct Interval {
    double value = 0;
    double low = 0;
    double high = 0;

    /// Half its width, as a share of the value; 0 of a figure that is 0.
    [[nodiscard]] double error() const { return value == 0 ? 0 : (high - low) / 2 / value; }
};

inline constexpr std::array<double, 6> kEstimatedQuantiles{0.50, 0.90, 0.95, 0.99, 0.999, 0.9999};

/// Requests of one kind.
struct OpEstimates {
    Histogram latency_ns; ///< of those measured
    Interval mean;
    std::array<Interval, kEstimatedQuantiles.size()> quantiles;
};

struct Estimates {
    std::array<OpEstimates, kRequestOps> by_op; ///< by RequestOp
    Interval mean_ns;                           ///< latency of all requests
    Interval iops;                              ///< of a closed loop
    Interval bandwidth_bps;                     ///< of a closed loop
    std::uint64_t measured = 0;                 ///< requests
    double confidence = 0;
};

/// From windows that were placed independently of each other, at least two. The intervals are those
/// of the bootstrap over windows, at levels that have the width of Student's distribution for so
/// few windows (expanded percentiles: Hesterberg, What Teachers Should Know About the Bootstrap,
/// The American Statistician 69:4, 2015, 5.3).
[[nodiscard]] Estimates estimate(const std::vector<Window>& windows, double confidence,
                                 std::uint64_t seed);

} // namespace cavern
