#include "core/buffer/fab.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/buffer/lru_block.h"
#include "tests/core/buffer/naive_block_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveFab;
using testing::PolicyScript;

using Lines = std::vector<std::string>;
using Pages = std::vector<std::uint64_t>;

// docs/algorithms.md, FAB-1.
TEST(FabTest, WorkedExampleEvictsTheLargestBlockNotRefreshed) {
    PolicyScript script("fab", 6, 4);
    EXPECT_EQ(script.run("W0 W4 W5 W8 W9 W12 W4 W13 W16 W17"), (Lines{"W13: [8,9]", "W17: [4,5]"}));
    EXPECT_EQ(script.left(), (Pages{0, 12, 13, 16, 17}));
    EXPECT_EQ(script.counters().write_hits, 1u);
}

TEST(FabTest, ABlockThatTrimMakesSmallerKeepsItsAgeAmongThoseOfItsNewSize) {
    Fab policy(8, 4);
    // Blocks 0, 1, 2 of one, two, one pages, in this order; block 1 loses a page.
    policy.on_insert(FrameId{0}, Lpn{0}, Access::kWrite);
    policy.on_insert(FrameId{1}, Lpn{4}, Access::kWrite);
    policy.on_insert(FrameId{2}, Lpn{5}, Access::kWrite);
    policy.on_insert(FrameId{3}, Lpn{8}, Access::kWrite);
    policy.remove(FrameId{2}, Lpn{5});
    std::vector<FrameId> frames;
    while (policy.pop_victim(frames, Pins())) {
    }
    EXPECT_EQ(frames, (std::vector<FrameId>{FrameId{0}, FrameId{1}, FrameId{3}}));
}

auto naive_fab(const DrillOptions& o) {
    return std::make_unique<NaiveFab>(o.pages_per_block);
}

TEST(FabSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    for (const bool reads : {false, true}) {
        EXPECT_EQ(first_difference_in_a_million_steps(
                      reads,
                      [](const DrillOptions& o) {
                          return std::make_unique<Fab>(o.capacity, o.pages_per_block);
                      },
                      naive_fab),
                  "");
    }
}

TEST(FabTest, TheNaiveTwinNoticesAPolicyThatIgnoresSize) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  false,
                  [](const DrillOptions& o) {
                      return std::make_unique<LruBlock>(o.capacity, o.pages_per_block);
                  },
                  naive_fab),
              "");
}

} // namespace
} // namespace cavern
