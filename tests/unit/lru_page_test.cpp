#include "core/buffer/lru_page.h"

#include <algorithm>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/single_rate.h"
#include "core/buffer/write_buffer.h"
#include "tests/unit/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

/// ALGORITHMS example LRU-1: K = 3, W1 W2 W3 R1 W2 W4 W5.
class LruPageExampleTest : public ::testing::Test {
  protected:
    void run(bool read_touch) {
        buffer = std::make_unique<WriteBuffer>(3, geometry_of(1, 1, 1, 8, 4),
                                               std::make_unique<LruPage>(3),
                                               std::make_unique<SingleRate>(), read_touch, &log);
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

/// First step at which `policy` and a std::list searched from end to end differ; -1 if none.
int first_difference(OrderPolicyIf& policy, std::uint32_t capacity, int steps, std::uint64_t seed) {
    std::list<std::uint32_t> naive; // LRU first
    Random random(seed);
    std::vector<FrameId> popped;
    for (int step = 0; step < steps; ++step) {
        const auto frame = static_cast<std::uint32_t>(random.below(capacity));
        const Lpn lpn{frame};
        const auto found = std::find(naive.begin(), naive.end(), frame);
        const std::uint64_t what = random.below(10);
        if (what == 0) {
            popped.clear();
            const bool any = policy.pop_victim(popped);
            if (any != !naive.empty()) {
                return step;
            }
            if (any) {
                if (popped != std::vector<FrameId>{FrameId{naive.front()}}) {
                    return step;
                }
                naive.pop_front();
            }
        } else if (found == naive.end()) {
            policy.on_insert(FrameId{frame}, lpn, Access::kWrite);
            naive.push_back(frame);
        } else if (what == 1) {
            policy.remove(FrameId{frame}, lpn);
            naive.erase(found);
        } else {
            policy.on_hit(FrameId{frame}, lpn, Access::kWrite);
            naive.splice(naive.end(), naive, found);
        }
    }
    return -1;
}

TEST(LruPageTest, AgreesWithANaiveListOverAMillionSteps) {
    for (const std::uint32_t capacity : {1u, 2u, 37u}) {
        LruPage policy(capacity);
        EXPECT_EQ(first_difference(policy, capacity, 350'000, capacity), -1);
    }
}

/// Forgets hits: first in, first out.
class ForgetfulLru final : public OrderPolicyIf {
  public:
    explicit ForgetfulLru(std::uint32_t capacity) : lru_(capacity) {}
    [[nodiscard]] bool evicts_blocks() const override { return false; }
    void on_insert(FrameId frame, Lpn lpn, Access access) override {
        lru_.on_insert(frame, lpn, access);
    }
    void on_hit(FrameId, Lpn, Access) override {}
    void remove(FrameId frame, Lpn lpn) override { lru_.remove(frame, lpn); }
    bool pop_victim(std::vector<FrameId>& frames) override { return lru_.pop_victim(frames); }

  private:
    LruPage lru_;
};

TEST(LruPageTest, TheNaiveListNoticesAPolicyThatForgetsHits) {
    ForgetfulLru policy(37);
    EXPECT_GE(first_difference(policy, 37, 1000, 37), 0);
}

TEST(LruPageTest, AFrameIsOnTheListOnceOrNotAtAll) {
    LruPage policy(4);
    policy.on_insert(FrameId{2}, Lpn{9}, Access::kWrite);
    EXPECT_THROW(policy.on_insert(FrameId{2}, Lpn{9}, Access::kWrite), ModelError);
    policy.remove(FrameId{2}, Lpn{9});
    EXPECT_THROW(policy.remove(FrameId{2}, Lpn{9}), ModelError);
    EXPECT_THROW(policy.on_hit(FrameId{1}, Lpn{9}, Access::kWrite), ModelError);
    std::vector<FrameId> frames;
    EXPECT_FALSE(policy.pop_victim(frames));
}

} // namespace
} // namespace cavern
