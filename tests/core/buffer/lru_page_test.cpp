#include "core/buffer/lru_page.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/buffer/fifo.h"
#include "core/buffer/single_trigger.h"
#include "core/buffer/write_buffer.h"
#include "tests/core/buffer/naive_page_policies.h"
#include "tests/core/buffer/policy_drill.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::DrillOptions;
using testing::first_difference_in_a_million_steps;
using testing::geometry_of;
using testing::NaiveLruPage;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

/// docs/algorithms.md, LRU-1: K = 3, W1 W2 W3 R1 W2 W4 W5.
class LruPageExampleTest : public ::testing::Test {
  protected:
    void run(bool read_touch) {
        buffer = std::make_unique<WriteBuffer>(3, geometry_of(1, 1, 1, 8, 4),
                                               std::make_unique<LruPage>(3),
                                               std::make_unique<SingleTrigger>(), read_touch, &log);
        for (const std::uint64_t lpn : {1, 2, 3}) {
            buffer->write(Lpn{lpn});
        }
        buffer->read(Lpn{1});
        for (const std::uint64_t lpn : {2, 4, 5}) {
            buffer->write(Lpn{lpn});
        }
    }
    RecordingLog log;
    std::unique_ptr<WriteBuffer> buffer;
};

TEST_F(LruPageExampleTest, ReadsDoNotRefreshByDefault) {
    run(false);
    EXPECT_EQ(log.lines, (Lines{"W1 miss", "W2 miss", "W3 miss", "R1 hit", "W2 hit", "W4 miss",
                                "evict [1]", "W5 miss", "evict [3]"}));
    EXPECT_TRUE(buffer->is_resident(Lpn{2}) && buffer->is_resident(Lpn{4}) &&
                buffer->is_resident(Lpn{5}));
    EXPECT_EQ(buffer->used(), 3u);
    EXPECT_EQ(buffer->counters().write_hits, 1u);
    EXPECT_EQ(buffer->counters().read_hits, 1u);
    EXPECT_EQ(buffer->counters().evicted_pages, 2u);
}

TEST_F(LruPageExampleTest, ReadTouchRefreshesOnReads) {
    run(true);
    EXPECT_EQ(log.starting_with("evict"), (Lines{"evict [3]", "evict [1]"}));
}

auto naive_lru(const DrillOptions&) {
    return std::make_unique<NaiveLruPage>();
}

TEST(LruPageSlowTest, AgreesWithItsNaiveTwinOverAMillionSteps) {
    for (const bool reads : {false, true}) {
        EXPECT_EQ(first_difference_in_a_million_steps(
                      reads,
                      [](const DrillOptions& o) { return std::make_unique<LruPage>(o.capacity); },
                      naive_lru),
                  "");
    }
}

TEST(LruPageTest, TheNaiveTwinNoticesAPolicyThatForgetsHits) {
    EXPECT_NE(first_difference_in_a_million_steps(
                  false, [](const DrillOptions& o) { return std::make_unique<Fifo>(o.capacity); },
                  naive_lru),
              "");
}

TEST(LruPageTest, AFrameIsOnTheListOnceOrNotAtAll) {
    LruPage policy(4);
    policy.on_insert(FrameId{2}, Lpn{9}, Access::kWrite);
    EXPECT_THROW(policy.on_insert(FrameId{2}, Lpn{9}, Access::kWrite), ModelError);
    policy.remove(FrameId{2}, Lpn{9});
    EXPECT_THROW(policy.remove(FrameId{2}, Lpn{9}), ModelError);
    EXPECT_THROW(policy.on_hit(FrameId{1}, Lpn{9}, Access::kWrite), ModelError);
    std::vector<FrameId> frames;
    EXPECT_FALSE(policy.pop_victim(frames, Pins()));
}

} // namespace
} // namespace cavern
