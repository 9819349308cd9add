#include "core/buffer/clc.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/buffer/naive_block_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveClc;
using testing::PolicyScript;

using Lines = std::vector<std::string>;
using Pages = std::vector<std::uint64_t>;

constexpr const char* kScript = "W0 W1 W2 W4 W8 W9 W0 W12 W13 W16 W17 W20";

PolicyScript script_with(double alpha) {
    return PolicyScript("clc", 8, 4, ClcParams{alpha});
}

// docs/algorithms.md, CLC-1.
TEST(ClcTest, WorkedExampleEvictsTheLargestColdBlock) {
    PolicyScript script = script_with(0.5);
    EXPECT_EQ(script.run(kScript), (Lines{"W16: [8,9]", "W20: [0,1,2]"}));
    EXPECT_EQ(script.counters().write_hits, 1u);
    // Cold are blocks 1 and 3, recent 4 and 5: the larger cold one leaves first, then the other
    // one, then the recent ones by age.
    EXPECT_EQ(script.left(), (Pages{4, 12, 13, 16, 17, 20}));
    Pages rest;
    while (script.buffer().evict_batch()) {
        rest.push_back(raw(script.buffer().victims().front().lpn));
    }
    EXPECT_EQ(rest, (Pages{12, 4, 16, 20}));
}

TEST(ClcTest, WithoutColdBlocksItIsBlockLru) {
    PolicyScript clc = script_with(1.0);
    PolicyScript lru("lru-block", 8, 4);
    const Lines evictions = clc.run(kScript);
    EXPECT_EQ(evictions, lru.run(kScript));
    EXPECT_EQ(evictions.front(), "W16: [4]");
}

TEST(ClcTest, TheLargestOfAllOtherBlocksLeavesAtAlphaZero) {
    PolicyScript script = script_with(0.0);
    EXPECT_EQ(script.run(kScript), (Lines{"W16: [0,1,2]"}));
}

auto clc(const DrillOptions& o, double alpha) {
    return std::make_unique<Clc>(o.capacity, o.pages_per_block, alpha);
}

auto naive_clc(const DrillOptions& o, double alpha) {
    return std::make_unique<NaiveClc>(o.pages_per_block, alpha);
}

class ClcDrillSlowTest : public ::testing::TestWithParam<double> {};

TEST_P(ClcDrillSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    const double alpha = GetParam();
    EXPECT_EQ(first_difference_in_a_million_steps(
                  alpha == 0.1, [alpha](const DrillOptions& o) { return clc(o, alpha); },
                  [alpha](const DrillOptions& o) { return naive_clc(o, alpha); }),
              "");
}

INSTANTIATE_TEST_SUITE_P(Shares, ClcDrillSlowTest, ::testing::Values(0.0, 0.1, 0.5, 1.0));

TEST(ClcTest, TheNaiveTwinNoticesAnotherShareOfColdBlocks) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  false, [](const DrillOptions& o) { return clc(o, 0.45); },
                  [](const DrillOptions& o) { return naive_clc(o, 0.5); }),
              "");
}

} // namespace
} // namespace cavern
