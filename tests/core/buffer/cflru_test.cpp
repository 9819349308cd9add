#include "core/buffer/cflru.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveCflru;
using testing::PolicyScript;

using Lines = std::vector<std::string>;
using Pages = std::vector<std::uint64_t>;

// docs/algorithms.md, CFLRU-1.
TEST(CflruTest, WorkedExampleDropsCleanPagesOfItsRegionFirst) {
    PolicyScript script("cflru", 4, 4, CflruParams{2});
    EXPECT_EQ(script.run("W1 R2 W3 R4 R5 W6 R1"),
              (Lines{"R5: drop [2]", "W6: [1]", "R1: drop [4]"}));
    EXPECT_EQ(script.left(), (Pages{1, 3, 5, 6}));
    EXPECT_EQ(script.counters().evicted_pages, 1u);
    EXPECT_EQ(script.counters().dropped_pages, 2u);
}

TEST(CflruTest, ACleanPageThatIsWrittenIsDirty) {
    PolicyScript script("cflru", 2, 4);
    EXPECT_EQ(script.run("R1 W2 W1 R3 R4"), (Lines{"R3: [2]", "R4: [1]"}));
}

std::uint32_t window(const DrillOptions& o, std::uint32_t more) {
    return std::min(o.capacity, std::max(1u, o.capacity / 4) + more);
}

auto naive_cflru(const DrillOptions& o) {
    return std::make_unique<NaiveCflru>(window(o, 0));
}

TEST(CflruSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    EXPECT_EQ(
        first_difference_in_a_million_steps(
            true,
            [](const DrillOptions& o) { return std::make_unique<Cflru>(o.capacity, window(o, 0)); },
            naive_cflru),
        "");
}

TEST(CflruTest, TheNaiveTwinNoticesARegionOfOnePageMore) {
    EXPECT_NE(
        first_difference_in_a_million_steps(
            true,
            [](const DrillOptions& o) { return std::make_unique<Cflru>(o.capacity, window(o, 1)); },
            naive_cflru),
        "");
}

} // namespace
} // namespace cavern
