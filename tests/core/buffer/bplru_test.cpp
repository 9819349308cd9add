#include "core/buffer/bplru.h"

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
using testing::NaiveBplru;
using testing::NaiveLruBlock;
using testing::PolicyScript;

using Lines = std::vector<std::string>;
using Pages = std::vector<std::uint64_t>;

constexpr const char* kScript = "W4 W6 W0 W1 W2 W3 W9 W8 W12 W13 W14 W16 W17";

// docs/algorithms.md, BPLRU-1: the eighth page fills the buffer, so that the first block leaves at
// W12.
TEST(BplruTest, WorkedExampleEvictsTheSequentialBlockFirstAndPadsTheOther) {
    PolicyScript script("bplru", 8, 4);
    EXPECT_EQ(script.run(kScript), (Lines{"W12: [0,1,2,3]", "W17: [4,6] padding [5,7]"}));
    EXPECT_EQ(script.left(), (Pages{8, 9, 12, 13, 14, 16, 17}));
    EXPECT_EQ(script.counters().evicted_pages, 6u);
    EXPECT_EQ(script.counters().padding_pages, 2u);
    Pages written;
    std::vector<bool> padding;
    for (const Victim& victim : script.buffer().victims()) {
        written.push_back(raw(victim.lpn));
        padding.push_back(victim.padding);
        EXPECT_EQ(victim.frame == kNoFrame, victim.padding);
    }
    EXPECT_EQ(written, (Pages{4, 5, 6, 7}));
    EXPECT_EQ(padding, (std::vector<bool>{false, true, false, true}));
}

TEST(BplruTest, WithoutItsTwoAdditionsItIsBlockLru) {
    PolicyScript script("bplru", 8, 4, BplruParams{false, false});
    EXPECT_EQ(script.run(kScript), PolicyScript("lru-block", 8, 4).run(kScript));
    EXPECT_EQ(script.counters().padding_pages, 0u);
}

TEST(BplruTest, OfTwoSequentialBlocksTheLaterOneLeavesFirst) {
    PolicyScript script("bplru", 4, 2);
    EXPECT_EQ(script.run("W0 W1 W2 W3 W8 W9 W10"), (Lines{"W8: [2,3]", "W10: [8,9]"}));
}

TEST(BplruTest, APageWrittenAgainBreaksTheSequence) {
    PolicyScript script("bplru", 4, 2);
    EXPECT_EQ(script.run("W4 W0 W0 W1 W6"), Lines{});
    EXPECT_EQ(script.run("W8"), Lines{"W8: [4] padding [5]"});
}

TEST(BplruTest, ASequentialBlockWrittenAgainIsRecentAgain) {
    PolicyScript script("bplru", 3, 2);
    EXPECT_EQ(script.run("W4 W0 W1 W0 W6"), Lines{"W6: [4] padding [5]"});
}

TEST(BplruTest, BlocksOfOnePageAreSequentialAtOnce) {
    PolicyScript script("bplru", 2, 1);
    EXPECT_EQ(script.run("W0 W1 W2 W3"), (Lines{"W2: [1]", "W3: [2]"}));
}

auto bplru(const DrillOptions& o, bool compensate) {
    return std::make_unique<Bplru>(o.capacity, o.pages_per_block, true, compensate);
}

TEST(BplruSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    EXPECT_EQ(
        first_difference_in_a_million_steps(
            false, [](const DrillOptions& o) { return bplru(o, true); },
            [](const DrillOptions& o) { return std::make_unique<NaiveBplru>(o.pages_per_block); }),
        "");
}

TEST(BplruSlowTest, AgreesWithNaiveBlockLruWithoutCompensation) {
    EXPECT_EQ(first_difference_in_a_million_steps(
                  true, [](const DrillOptions& o) { return bplru(o, false); },
                  [](const DrillOptions& o) {
                      return std::make_unique<NaiveLruBlock>(o.pages_per_block);
                  }),
              "");
}

TEST(BplruTest, TheNaiveTwinNoticesAPolicyWithoutCompensation) {
    EXPECT_NE(
        first_difference_in_a_million_steps(
            false, [](const DrillOptions& o) { return bplru(o, false); },
            [](const DrillOptions& o) { return std::make_unique<NaiveBplru>(o.pages_per_block); }),
        "");
}

} // namespace
} // namespace cavern
