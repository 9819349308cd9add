#include "core/buffer/arc.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/single_trigger.h"
#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/core/buffer/policy_script.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::NaiveArc;
using testing::PolicyScript;

using Lines = std::vector<std::string>;
using Pages = std::vector<std::uint64_t>;

// docs/algorithms.md, ARC-1.
TEST(ArcTest, WorkedExampleReturnsGhostsToThePagesUsedAgain) {
    auto policy = std::make_unique<Arc>(3);
    const Arc& arc = *policy;
    testing::RecordingLog log;
    WriteBuffer buffer(3, testing::geometry_of(1, 1, 1, 8, 4), std::move(policy),
                       std::make_unique<SingleTrigger>(), false, &log, true);
    for (const std::uint64_t lpn : {1, 2, 3, 1, 4, 2, 3}) {
        buffer.read(Lpn{lpn});
    }
    EXPECT_EQ(log.starting_with("evict"), (Lines{"evict [2]", "evict [3]", "evict [1]"}));
    EXPECT_EQ(buffer.counters().read_hits, 1u);
    EXPECT_DOUBLE_EQ(arc.target(), 2.0);
    // T1 = [4], T2 = [2, 3]: with a target of two pages, T2 gives first.
    log.lines.clear();
    while (buffer.evict_batch()) {
    }
    EXPECT_EQ(log.starting_with("evict"), (Lines{"evict [2]", "evict [3]", "evict [4]"}));
}

TEST(ArcTest, WrittenPagesAreSplitLikeReadOnes) {
    PolicyScript script("arc", 3, 4);
    EXPECT_EQ(script.run("W1 R2 W3 R1 W4 R2 W3"), (Lines{"W4: drop [2]", "R2: [3]", "W3: [1]"}));
    EXPECT_EQ(script.left(), (Pages{2, 3, 4}));
}

TEST(ArcTest, APageNotAnnouncedIsAnError) {
    Arc policy(2);
    policy.on_miss(Lpn{1});
    EXPECT_THROW(policy.on_insert(FrameId{0}, Lpn{2}, Access::kWrite), ModelError);
}

auto naive_arc(const DrillOptions& o) {
    return std::make_unique<NaiveArc>(o.capacity);
}

TEST(ArcSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    EXPECT_EQ(first_difference_in_a_million_steps(
                  true, [](const DrillOptions& o) { return std::make_unique<Arc>(o.capacity); },
                  naive_arc),
              "");
}

TEST(ArcTest, TheNaiveTwinNoticesABufferOfAnotherSize) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  true, [](const DrillOptions& o) { return std::make_unique<Arc>(o.capacity); },
                  [](const DrillOptions& o) { return std::make_unique<NaiveArc>(o.capacity + 1); }),
              "");
}

} // namespace
} // namespace cavern
