#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "core/base/random.h"

namespace cavern {
namespace {

constexpr double kQuantiles[] = {1e-9, 0.001, 0.01, 0.1,   0.25,   0.5, 0.75,
                                 0.9,  0.95,  0.99, 0.999, 0.9999, 1.0};

/// The smallest value that a share q of all do not exceed.
std::uint64_t exact_quantile(const std::vector<std::uint64_t>& sorted, double q) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// What is promised: the upper end of the bucket the exact value is in.
bool fits(std::uint64_t found, std::uint64_t exact) {
    return found >= exact && found - exact <= exact / 2048 && (exact >= 2048 || found == exact);
}

/// Fills a histogram from `draw` and compares it with the sorted values.
void compare(std::size_t count, const std::function<std::uint64_t()>& draw) {
    Histogram histogram;
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(draw());
        histogram.add(values.back());
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(histogram.count(), count);
    EXPECT_EQ(histogram.min(), values.front());
    EXPECT_EQ(histogram.max(), values.back());
    const long double sum = std::accumulate(values.begin(), values.end(), 0.0L);
    EXPECT_DOUBLE_EQ(histogram.mean(), static_cast<double>(sum / static_cast<long double>(count)));
    for (const double q : kQuantiles) {
        const std::uint64_t exact = exact_quantile(values, q);
        const std::uint64_t found = histogram.quantile(q);
        EXPECT_TRUE(fits(found, exact)) << q << ": " << found << " for " << exact;
    }
}

TEST(HistogramTest, QuantilesOfSmallNumbersAreExact) {
    Random random(1);
    compare(10'000, [&] { return random.below(2048); });
}

TEST(HistogramTest, QuantilesOfLatenciesAreWithinABucket) {
    Random random(2);
    compare(100'000, [&] { return 60'000 + random.below(900'000); });
}

TEST(HistogramTest, QuantilesOverTwelveDecadesAreWithinABucket) {
    Random random(3);
    compare(100'000,
            [&] { return static_cast<std::uint64_t>(std::pow(10.0, 12.0 * random.uniform())); });
}

TEST(HistogramTest, QuantilesAtTheBordersOfBucketsAreWithinABucket) {
    Random random(4);
    compare(20'000, [&] {
        const std::uint64_t power = std::uint64_t{1} << (10 + random.below(30));
        return power + random.below(3) - 1;
    });
}

TEST(HistogramTest, OneValueIsEveryQuantile) {
    Histogram histogram;
    histogram.add(1'234'567'891);
    for (const double q : kQuantiles) {
        EXPECT_EQ(histogram.quantile(q), 1'234'567'891u);
    }
}

TEST(HistogramTest, HoldsTheLargestNumber) {
    Histogram histogram;
    histogram.add(~std::uint64_t{0});
    histogram.add(0);
    EXPECT_EQ(histogram.max(), ~std::uint64_t{0});
    EXPECT_EQ(histogram.quantile(1.0), ~std::uint64_t{0});
    EXPECT_EQ(histogram.quantile(0.5), 0u);
}

TEST(HistogramTest, AnEmptyOneAnswersZero) {
    const Histogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.mean(), 0.0);
    EXPECT_EQ(histogram.min(), 0u);
    EXPECT_EQ(histogram.max(), 0u);
    EXPECT_EQ(histogram.quantile(0.99), 0u);
}

// The comparison can fail: values a thousandth too large or too small are found out.
TEST(HistogramTest, AThousandthOffDoesNotPassForAQuantile) {
    Random random(5);
    Histogram larger;
    Histogram smaller;
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 10'000; ++i) {
        values.push_back(100'000 + random.below(900'000));
        larger.add(values.back() + values.back() / 1000);
        smaller.add(values.back() - values.back() / 1000);
    }
    std::sort(values.begin(), values.end());
    for (const double q : kQuantiles) {
        EXPECT_FALSE(fits(larger.quantile(q), exact_quantile(values, q))) << q;
        EXPECT_FALSE(fits(smaller.quantile(q), exact_quantile(values, q))) << q;
    }
}

TEST(MeanMaxTest, KeepsMeanSumAndMaximum) {
    MeanMax statistic;
    EXPECT_EQ(statistic.mean(), 0.0);
    for (const std::uint64_t value : {5u, 1u, 9u}) {
        statistic.add(value);
    }
    EXPECT_EQ(statistic.count(), 3u);
    EXPECT_EQ(statistic.sum(), 15u);
    EXPECT_EQ(statistic.max(), 9u);
    EXPECT_EQ(statistic.mean(), 5.0);
}

} // namespace
} // namespace cavern
