// Profit and division, by the worked examples of the paper's rules.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/partition/partition_tuner.h"
#include "core/partition/profit.h"

namespace cavern::testing {
namespace {

constexpr std::uint64_t kMiBytes = std::uint64_t{1} << 20;
/// SHIM Table I, SLC.
constexpr FlashTimes kSlc{72.8, 252.8, 1500};

DftlMeans example_means() {
    DftlMeans means;
    means.batch_entries = 4;
    means.read_misses = 0.25;
    means.write_misses = 0.5;
    means.table_collection = 4500;
    means.data_collection = 9000;
    return means;
}

PartitionTuner::Params half_of(std::uint64_t total) {
    PartitionTuner::Params params;
    params.total = total;
    params.map = total / 2;
    return params;
}

// docs/algorithms.md, AP-1.
TEST(PartitionTunerTest, FactorsAndStepAreThoseOfTheExampleWithDftl) {
    const ProfitFactors factors = dftl_profit(kSlc, example_means(), 64);
    EXPECT_DOUBLE_EQ(factors.map_read, 72.8);
    EXPECT_DOUBLE_EQ(factors.map_write, 98.978125);
    EXPECT_DOUBLE_EQ(factors.buffer_read, 91.0);
    EXPECT_DOUBLE_EQ(factors.buffer_write, 442.9140625);
    const GhostHits hits{200, 150, 10, 40};
    const GhostProfit profit{map_profit(hits, factors), buffer_profit(hits, factors), 2 * kMiBytes,
                             8 * kMiBytes};
    EXPECT_DOUBLE_EQ(profit.map, 29406.71875);
    EXPECT_DOUBLE_EQ(profit.buffer, 18626.5625);
    PartitionTuner tuner(half_of(16 * kMiBytes));
    const PartitionChange change = tuner.tune(profit);
    EXPECT_NEAR(change.map_benefit / change.buffer_benefit, 6.315, 0.0005);
    EXPECT_TRUE(change.to_map);
    EXPECT_EQ(change.moved, 50u);
    EXPECT_EQ(tuner.map_bytes(), 8 * kMiBytes + 50);
    EXPECT_EQ(tuner.buffer_bytes(), 8 * kMiBytes - 50);
}

// docs/algorithms.md, AP-2.
TEST(PartitionTunerTest, FactorsAndStepAreThoseOfTheExampleWithFast) {
    FastMeans means;
    means.associated_set = 8;
    means.log_collection = 60'000;
    const ProfitFactors factors = fast_profit(kSlc, means, 64);
    EXPECT_DOUBLE_EQ(factors.map_write, 22338.4 / 8);
    EXPECT_DOUBLE_EQ(factors.map_read, 0);
    EXPECT_DOUBLE_EQ(factors.buffer_read, 72.8);
    EXPECT_DOUBLE_EQ(factors.buffer_write, 1190.3);
    const GhostHits hits{0, 30, 100, 50};
    const GhostProfit profit{map_profit(hits, factors), buffer_profit(hits, factors), kMiBytes / 2,
                             4 * kMiBytes};
    EXPECT_DOUBLE_EQ(profit.map, 83769);
    EXPECT_DOUBLE_EQ(profit.buffer, 66795);
    PartitionTuner::Params params = half_of(8 * kMiBytes);
    params.unit = 256; // the map of one log block
    PartitionTuner tuner(params);
    EXPECT_EQ(tuner.tune(profit).moved, 2568u);
    EXPECT_EQ(tuner.map_bytes(), 4 * kMiBytes + 2568);
}

TEST(PartitionTunerTest, TheFormulaOfTheTableWouldGiveAnotherFactor) {
    // The negative control of AP-1: T_two in the place of T_dwo.
    DftlMeans means = example_means();
    means.data_collection = means.table_collection;
    EXPECT_NE(dftl_profit(kSlc, means, 64).buffer_write, 442.9140625);
}

TEST(PartitionTunerTest, EqualBenefitsMoveNothing) {
    PartitionTuner tuner(half_of(1000));
    EXPECT_EQ(tuner.tune({0, 0, 100, 100}).moved, 0u);
    EXPECT_EQ(tuner.tune({5, 10, 100, 200}).moved, 0u);
    EXPECT_EQ(tuner.tune({5, 10, 0, 0}).moved, 0u); // no ghost, no benefit
    EXPECT_EQ(tuner.map_bytes(), 500u);
}

TEST(PartitionTunerTest, TheRatioIsBoundedAndNoSideLosesItsLeast) {
    PartitionTuner::Params params = half_of(100'000);
    params.least_buffer = 2048;
    PartitionTuner tuner(params);
    EXPECT_EQ(tuner.tune({1, 0, 100, 100}).moved, 8000u); // 1000 entries
    EXPECT_EQ(tuner.map_bytes(), 58'000u);
    EXPECT_EQ(tuner.tune({1, 1e-9, 100, 100}).moved, 8000u);
    for (int i = 0; i < 20; ++i) {
        tuner.tune({1, 0, 100, 100});
    }
    EXPECT_EQ(tuner.buffer_bytes(), 2048u);
    for (int i = 0; i < 40; ++i) {
        tuner.tune({0, 1, 100, 100});
    }
    EXPECT_EQ(tuner.map_bytes(), 8u);
    params.scale = 2.5;
    params.ratio_most = 3;
    PartitionTuner scaled(params);
    EXPECT_EQ(scaled.tune({0, 1, 100, 100}).moved, 60u); // 8 * 2.5 * 3
    params.map = 4;
    EXPECT_THROW(PartitionTuner{params}, ModelError);
}

TEST(PartitionTunerTest, ASideWithoutAHitHasABoundOfItsOwn) {
    PartitionTuner::Params params = half_of(100'000);
    params.ratio_of_none = 64;
    PartitionTuner tuner(params);
    EXPECT_EQ(tuner.tune({1, 0, 100, 100}).moved, 512u);       // 64 entries
    EXPECT_EQ(tuner.tune({1, 1e-9, 100, 100}).moved, 8000u);   // a hit, however cheap
    EXPECT_EQ(tuner.tune({1, 0.0039, 100, 100}).moved, 2051u); // not bounded at all
    EXPECT_EQ(tuner.tune({0, 1, 0, 100}).moved, 512u);         // a ghost of no size
    params.ratio_most = 10;
    EXPECT_EQ(PartitionTuner(params).tune({1, 0, 100, 100}).moved, 80u); // the lower of the two
}

// docs/algorithms.md, AP-3.
TEST(PartitionTunerTest, OneHitMoreBoundsTheRatioAndLeavesTheDirection) {
    PartitionTuner::Params params = half_of(1000 * kMiBytes);
    params.extra_hits = 1;
    params.buffer_entry = 2048;
    const auto moved = [&params](const GhostProfit& profit) {
        return PartitionTuner(params).tune(profit);
    };
    // 30 hits beside none, each worth 100 and 400: (3000 + 100) / 1 MiB by 400 / 4 MiB is 31.
    const PartitionChange rare = moved({3000, 0, kMiBytes, 4 * kMiBytes, 100, 400});
    EXPECT_TRUE(rare.to_map);
    EXPECT_EQ(rare.moved, 8u * 31);
    // With hits on both sides it changes little: 1001 hits by 101.
    EXPECT_EQ(moved({1e5, 1e4, kMiBytes, kMiBytes, 100, 100}).moved, 79u); // 8 * 9.91
    // One hit of the map has the greater benefit; with a dear one more the buffer's would be
    // greater. The map grows all the same, by one entry.
    const PartitionChange little = moved({100, 0, kMiBytes, kMiBytes, 100, 400});
    EXPECT_TRUE(little.to_map);
    EXPECT_EQ(little.moved, 8u);
    // A ghost of no size has room for one entry: its hit weighs most, and the step is the least.
    EXPECT_EQ(moved({0, 4000, 0, kMiBytes, 100, 400}).moved, 8u);
    EXPECT_FALSE(moved({0, 4000, 0, kMiBytes, 100, 400}).to_map);
    // No hit anywhere: nothing is known, and nothing moves.
    EXPECT_EQ(moved({0, 0, kMiBytes, 4 * kMiBytes, 100, 400}).moved, 0u);
    // The control: without the hit the ratio of the first is the bound.
    params.extra_hits = 0;
    EXPECT_EQ(moved({3000, 0, kMiBytes, 4 * kMiBytes, 100, 400}).moved, 8000u);
}

} // namespace
} // namespace cavern::testing
