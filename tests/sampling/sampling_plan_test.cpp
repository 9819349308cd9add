#include "sampling/sampling_plan.h"

#include <gtest/gtest.h>
#include <set>

namespace cavern {
namespace {

SampledConfig config(bool random) {
    SampledConfig config;
    config.requests = 100;
    config.warmup_depths = 4;
    config.random = random;
    return config;
}

/// Each window in a part of its own, and none beyond the range.
void expect_one_in_each_part(const SamplingPlan& plan, SampledRange range) {
    const auto parts = static_cast<double>(plan.places.size());
    const double part = static_cast<double>(range.end - range.first) / parts;
    for (std::size_t i = 0; i < plan.places.size(); ++i) {
        const auto place = static_cast<double>(plan.places[i] - range.first);
        EXPECT_GE(place, part * static_cast<double>(i) - 1);
        EXPECT_LE(place + static_cast<double>(plan.measured),
                  part * static_cast<double>(i + 1) + 1);
        EXPECT_LE(plan.places[i] + plan.measured, range.end);
    }
}

TEST(SamplingPlanTest, EachPartOfTheRunHasAWindow) {
    for (const bool random : {false, true}) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const SampledRange range{500, 500 + 10'000 + seed * 7};
            const SamplingPlan plan = plan_windows(config(random), range, 32, 30, seed);
            ASSERT_EQ(plan.places.size(), 30u);
            expect_one_in_each_part(plan, range);
        }
    }
}

TEST(SamplingPlanTest, SystematicWindowsLieAtEqualDistances) {
    const SamplingPlan plan = plan_windows(config(false), {0, 100'000}, 32, 10, 1);
    const SamplingPlan random = plan_windows(config(true), {0, 100'000}, 32, 10, 1);
    std::set<std::uint64_t> distances;
    std::set<std::uint64_t> drawn;
    for (std::size_t i = 1; i < 10; ++i) {
        distances.insert(plan.places[i] - plan.places[i - 1]);
        drawn.insert(random.places[i] - random.places[i - 1]);
    }
    EXPECT_EQ(distances, (std::set<std::uint64_t>{10'000}));
    EXPECT_GT(drawn.size(), 5u);
}

TEST(SamplingPlanTest, SeedsPlaceWindowsAnywhere) {
    std::set<std::uint64_t> first;
    std::uint64_t smallest = 10'000;
    std::uint64_t largest = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const std::uint64_t place =
            plan_windows(config(false), {0, 100'000}, 32, 10, seed).places[0];
        first.insert(place);
        smallest = std::min(smallest, place);
        largest = std::max(largest, place);
    }
    EXPECT_GT(first.size(), 190u);
    EXPECT_LT(smallest, 500u);
    EXPECT_GT(largest, 9'400u);
}

TEST(SamplingPlanTest, WindowsDoNotOverlap) {
    const SamplingPlan plan = plan_windows(config(true), {0, 1'050}, 32, 30, 1);
    ASSERT_EQ(plan.places.size(), 10u);
    for (std::size_t i = 1; i < 10; ++i) {
        EXPECT_GE(plan.places[i], plan.places[i - 1] + plan.measured);
    }
    EXPECT_TRUE(plan_windows(config(true), {0, 99}, 32, 30, 1).places.empty());
    EXPECT_TRUE(plan_windows(config(true), {200, 100}, 32, 30, 1).places.empty());
}

TEST(SamplingPlanTest, TheWarmUpFollowsWhatIsOutstanding) {
    EXPECT_EQ(plan_windows(config(false), {0, 100'000}, 32, 10, 1).warmup, 128u);
    EXPECT_EQ(plan_windows(config(false), {0, 100'000}, 256, 10, 1).warmup, 1'024u);
}

} // namespace
} // namespace cavern
