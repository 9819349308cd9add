#include "sampling/estimates.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/base/units.h"

namespace cavern {
namespace {

/// Latencies about a mean of the window's own, which is drawn as well: requests of a window are
/// more alike than those of two.
std::vector<Window> drawn_windows(Random& random, std::size_t windows, double between) {
    std::vector<Window> drawn(windows);
    for (Window& window : drawn) {
        const double mean = 10'000 + between * (random.uniform() - 0.5);
        for (int i = 0; i < 50; ++i) {
            const auto latency = static_cast<std::uint64_t>(mean + 4'000 * random.uniform());
            const RequestOp op = random.below(4) == 0 ? RequestOp::kWrite : RequestOp::kRead;
            window.requests.push_back({latency, op});
        }
        window.span = 50 * static_cast<TimePs>(mean) * 1000;
        window.bytes = 50 * 4096;
    }
    return drawn;
}

TEST(EstimatesTest, ValuesAreThoseOfAllRequests) {
    Random random(1);
    const std::vector<Window> windows = drawn_windows(random, 20, 5'000);
    const Estimates found = estimate(windows, 0.95, 1);
    std::vector<std::uint64_t> reads;
    double span = 0;
    for (const Window& window : windows) {
        span += static_cast<double>(window.span) / static_cast<double>(kSecond);
        for (const MeasuredRequest& request : window.requests) {
            if (request.op == RequestOp::kRead) {
                reads.push_back(request.latency_ns);
            }
        }
    }
    std::sort(reads.begin(), reads.end());
    const OpEstimates& read = found.by_op[static_cast<std::size_t>(RequestOp::kRead)];
    EXPECT_EQ(read.latency_ns.count(), reads.size());
    EXPECT_NEAR(read.mean.value, read.latency_ns.mean(), 1e-6);
    for (std::size_t i = 0; i < kEstimatedQuantiles.size(); ++i) {
        const std::uint64_t rank = rank_of(kEstimatedQuantiles[i], reads.size());
        EXPECT_EQ(read.quantiles[i].value, static_cast<double>(reads[rank - 1]));
    }
    EXPECT_EQ(found.measured, 1'000u);
    EXPECT_NEAR(found.iops.value, 1'000 / span, 1e-6);
    EXPECT_NEAR(found.bandwidth_bps.value, 1'000 * 4096 / span, 1e-3);
    EXPECT_EQ(found.by_op[static_cast<std::size_t>(RequestOp::kFlush)].latency_ns.count(), 0u);
}

/// Of 200 samples, how many have the true mean, 12,000 ns, in their interval.
int covered(std::size_t windows, double confidence) {
    Random random(7);
    int hits = 0;
    for (std::uint64_t sample = 0; sample < 200; ++sample) {
        const Interval mean =
            estimate(drawn_windows(random, windows, 5'000), confidence, sample).mean_ns;
        hits += mean.low <= 12'000 && 12'000 <= mean.high ? 1 : 0;
    }
    return hits;
}

TEST(EstimatesTest, IntervalsHaveTheTruthAsOftenAsTheySay) {
    // A standard deviation of 200 draws at 0.95 is 3.1.
    EXPECT_NEAR(covered(30, 0.95), 190, 10);
    EXPECT_NEAR(covered(8, 0.95), 190, 10);
    EXPECT_NEAR(covered(30, 0.8), 160, 18);
}

TEST(EstimatesTest, RequestsOfAWindowAreNotTakenForIndependent) {
    Random random(3);
    const Interval alike = estimate(drawn_windows(random, 30, 0), 0.95, 1).mean_ns;
    const Interval unlike = estimate(drawn_windows(random, 30, 8'000), 0.95, 1).mean_ns;
    EXPECT_GT(unlike.error(), 3 * alike.error());
}

TEST(EstimatesTest, FourTimesTheWindowsHalveTheInterval) {
    Random random(5);
    const Interval few = estimate(drawn_windows(random, 50, 5'000), 0.95, 1).mean_ns;
    const Interval many = estimate(drawn_windows(random, 200, 5'000), 0.95, 1).mean_ns;
    EXPECT_NEAR(few.error() / many.error(), 2, 0.4);
}

} // namespace
} // namespace cavern
