#include "core/parts/bit_error_rate.h"

#include <cmath>
#include <gtest/gtest.h>

#include "core/base/random.h"

namespace cavern::testing {
namespace {

/// A hash at this place of 0 to 1.
std::uint64_t at(double place) {
    return static_cast<std::uint64_t>(place * 0x1.0p53) << 11;
}

// FAST '19: 1.48e-3 + 3.90e-10 * 1000^2.05 + 6.28e-5 * 1000^0.14 * 100^0.54
// + 3.73e-9 * 1000^0.33 * 50^1.71.
TEST(BitErrorRateTest, IsTheSumOfItsPowerLaws) {
    const BitErrorRate& tlc = bit_error_rate(BitErrors::kTlc72);
    const double wear = 3.90e-10 * 1412537.5446;               // 10^6.15
    const double retention = 6.28e-5 * 2.6302680 * 12.0226443; // 10^0.42, 10^1.08
    const double disturb = 3.73e-9 * 9.7723722 * std::exp(1.71 * std::log(50.0)); // 10^0.99
    EXPECT_NEAR(tlc.at(1000, 100, 50), 1.48e-3 + wear + retention + disturb, 1e-9);
    EXPECT_EQ(tlc.at(0, 100, 50), 1.48e-3);
    EXPECT_EQ(tlc.at(1e6, 1e4, 1e6), 0.5);
    EXPECT_NE(bit_error_rate(BitErrors::kMlc2y).at(1000, 100, 50), tlc.at(1000, 100, 50));
}

TEST(BitErrorRateTest, MoreOfAnythingIsMoreErrors) {
    for (const BitErrors errors : {BitErrors::kMlc2y, BitErrors::kTlc72}) {
        const BitErrorRate& rate = bit_error_rate(errors);
        const double now = rate.at(1000, 10, 100);
        EXPECT_GT(rate.at(2000, 10, 100), now);
        EXPECT_GT(rate.at(1000, 20, 100), now);
        EXPECT_GT(rate.at(1000, 10, 200), now);
    }
}

TEST(PoissonQuantileTest, CountsToThePlace) {
    const double none = std::exp(-0.5);
    EXPECT_EQ(poisson_quantile(0.5, at(0.0)), 0u);
    EXPECT_EQ(poisson_quantile(0.5, at(none - 1e-9)), 0u);
    EXPECT_EQ(poisson_quantile(0.5, at(none + 1e-9)), 1u);
    EXPECT_EQ(poisson_quantile(0.5, at(1.5 * none - 1e-9)), 1u);
    EXPECT_EQ(poisson_quantile(0.5, at(1.5 * none + 1e-9)), 2u);
    EXPECT_EQ(poisson_quantile(0.0, ~std::uint64_t{0}), 0u);
}

TEST(PoissonQuantileTest, HasMeanAndVarianceOfItsDistribution) {
    for (const double mean : {0.1, 3.0, 25.0, 600.0, 20000.0}) {
        Random random(7);
        constexpr int kDraws = 20000;
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < kDraws; ++i) {
            const double drawn = poisson_quantile(mean, random.next());
            sum += drawn;
            squares += (drawn - mean) * (drawn - mean);
        }
        // Five standard deviations of a mean and of a variance of so many draws.
        EXPECT_NEAR(sum / kDraws, mean, 5 * std::sqrt(mean / kDraws)) << mean;
        EXPECT_NEAR(squares / kDraws, mean, 5 * std::sqrt((2 * mean * mean + mean) / kDraws))
            << mean;
    }
}

TEST(PoissonQuantileTest, AGreaterMeanHasNoFewerErrorsAtOnePlace) {
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t place = random.next();
        std::uint32_t last = 0;
        for (double mean = 0.01; mean < 3000; mean *= 1.7) {
            const std::uint32_t errors = poisson_quantile(mean, place);
            ASSERT_GE(errors, last) << mean;
            last = errors;
        }
    }
}

} // namespace
} // namespace cavern::testing
