#include "core/buffer/lru_block.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/buffer/fab.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/write_buffer.h"
#include "tests/core/buffer/naive_block_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::geometry_of;
using testing::NaiveLruBlock;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

// docs/algorithms.md, BLRU-1: K = 6, Np = 4.
TEST(LruBlockTest, WorkedExampleEvictsTheBlockNotRefreshed) {
    RecordingLog log;
    WriteBuffer buffer(6, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruBlock>(6, 4),
                       std::make_unique<SingleTrigger>(), false, &log);
    for (const std::uint64_t lpn : {0, 1, 4, 8, 9, 5, 12, 13, 0}) {
        buffer.write(Lpn{lpn});
    }
    EXPECT_EQ(log.lines,
              (Lines{"W0 miss", "W1 miss", "W4 miss", "W8 miss", "W9 miss", "W5 miss", "W12 miss",
                     "evict block 0 [0,1]", "W13 miss", "W0 miss", "evict block 2 [8,9]"}));
    // Blocks 1, 3, 0 are left, in this order.
    Lines order;
    while (buffer.evict_batch()) {
        order.push_back(log.lines.back());
    }
    EXPECT_EQ(order, (Lines{"evict block 1 [4,5]", "evict block 3 [12,13]", "evict block 0 [0]"}));
}

TEST(LruBlockTest, PagesOfABlockLeaveAscendingHoweverTheyCame) {
    LruBlock policy(8, 8);
    const std::vector<std::uint64_t> lpns{13, 9, 15, 8, 11};
    for (std::uint32_t i = 0; i < lpns.size(); ++i) {
        policy.on_insert(FrameId{i}, Lpn{lpns[i]}, Access::kWrite);
    }
    policy.remove(FrameId{2}, Lpn{15});
    std::vector<FrameId> frames;
    ASSERT_TRUE(policy.pop_victim(frames, Pins()));
    EXPECT_EQ(frames, (std::vector<FrameId>{FrameId{3}, FrameId{1}, FrameId{4}, FrameId{0}}));
    EXPECT_FALSE(policy.pop_victim(frames, Pins()));
}

auto naive_block_lru(const DrillOptions& o) {
    return std::make_unique<NaiveLruBlock>(o.pages_per_block);
}

TEST(LruBlockSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    for (const bool reads : {false, true}) {
        EXPECT_EQ(first_difference_in_a_million_steps(
                      reads,
                      [](const DrillOptions& o) {
                          return std::make_unique<LruBlock>(o.capacity, o.pages_per_block);
                      },
                      naive_block_lru),
                  "");
    }
}

TEST(LruBlockTest, TheNaiveTwinNoticesAPolicyThatLooksAtSize) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  false,
                  [](const DrillOptions& o) {
                      return std::make_unique<Fab>(o.capacity, o.pages_per_block);
                  },
                  naive_block_lru),
              "");
}

TEST(LruBlockTest, AFrameIsInOneClusterOnly) {
    LruBlock policy(4, 4);
    policy.on_insert(FrameId{0}, Lpn{3}, Access::kWrite);
    EXPECT_THROW(policy.on_insert(FrameId{0}, Lpn{4}, Access::kWrite), ModelError);
    EXPECT_THROW(policy.remove(FrameId{1}, Lpn{4}), ModelError);
}

} // namespace
} // namespace cavern
