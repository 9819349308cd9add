#include "core/buffer/lru_block.h"

#include <algorithm>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/single_rate.h"
#include "core/buffer/write_buffer.h"
#include "tests/unit/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

// ALGORITHMS example BLRU-1: K = 6, Np = 4.
TEST(LruBlockTest, WorkedExampleEvictsTheBlockNotRefreshed) {
    RecordingLog log;
    WriteBuffer buffer(6, geometry_of(1, 1, 1, 8, 4), std::make_unique<LruBlock>(6, 4),
                       std::make_unique<SingleRate>(), false, &log);
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
    ASSERT_TRUE(policy.pop_victim(frames));
    EXPECT_EQ(frames, (std::vector<FrameId>{FrameId{3}, FrameId{1}, FrameId{4}, FrameId{0}}));
    EXPECT_FALSE(policy.pop_victim(frames));
}

/// First step at which `policy` and a list of lists searched from end to end differ; -1 if none.
int first_difference(OrderPolicyIf& policy, std::uint32_t capacity, std::uint32_t pages_per_block,
                     int steps, std::uint64_t seed) {
    struct NaiveBlock {
        std::uint64_t lbn;
        std::list<std::pair<std::uint64_t, std::uint32_t>> pages; // (lpn, frame)
    };
    std::list<NaiveBlock> naive; // LRU first
    std::vector<std::uint64_t> lpn_in(capacity, 0);
    std::vector<bool> used(capacity, false);
    Random random(seed);
    std::vector<FrameId> popped;
    for (int step = 0; step < steps; ++step) {
        const auto frame = static_cast<std::uint32_t>(random.below(capacity));
        const std::uint64_t what = random.below(20);
        if (what == 0) {
            popped.clear();
            if (policy.pop_victim(popped) == naive.empty()) {
                return step;
            }
            if (!naive.empty()) {
                naive.front().pages.sort();
                std::vector<FrameId> expected;
                for (const auto& [lpn, f] : naive.front().pages) {
                    expected.push_back(FrameId{f});
                    used[f] = false;
                }
                if (popped != expected) {
                    return step;
                }
                naive.pop_front();
            }
            continue;
        }
        const bool insert = !used[frame];
        if (insert) {
            // Pages are distinct: lpn = frame modulo capacity.
            lpn_in[frame] = frame + capacity * random.below(3);
            used[frame] = true;
        }
        const std::uint64_t lpn = lpn_in[frame];
        const std::uint64_t lbn = lpn / pages_per_block;
        auto block = std::find_if(naive.begin(), naive.end(),
                                  [lbn](const NaiveBlock& b) { return b.lbn == lbn; });
        if (!insert && what == 1) {
            policy.remove(FrameId{frame}, Lpn{lpn});
            block->pages.remove({lpn, frame});
            if (block->pages.empty()) {
                naive.erase(block);
            }
            used[frame] = false;
            continue;
        }
        if (insert) {
            policy.on_insert(FrameId{frame}, Lpn{lpn}, Access::kWrite);
        } else {
            policy.on_hit(FrameId{frame}, Lpn{lpn}, Access::kWrite);
        }
        if (block == naive.end()) {
            naive.push_back({lbn, {}});
            block = std::prev(naive.end());
        }
        if (insert) {
            block->pages.push_back({lpn, frame});
        }
        naive.splice(naive.end(), naive, block);
    }
    return -1;
}

TEST(LruBlockTest, AgreesWithNaiveListsOverAMillionSteps) {
    LruBlock one(1, 4);
    EXPECT_EQ(first_difference(one, 1, 4, 100'000, 1), -1);
    LruBlock small(30, 4);
    EXPECT_EQ(first_difference(small, 30, 4, 600'000, 2), -1);
    LruBlock single_page_blocks(16, 1);
    EXPECT_EQ(first_difference(single_page_blocks, 16, 1, 300'000, 3), -1);
}

TEST(LruBlockTest, TheNaiveListsNoticeAPolicyThatEvictsSinglePages) {
    LruPage policy(30);
    EXPECT_GE(first_difference(policy, 30, 4, 1000, 2), 0);
}

TEST(LruBlockTest, AFrameIsInOneClusterOnly) {
    LruBlock policy(4, 4);
    policy.on_insert(FrameId{0}, Lpn{3}, Access::kWrite);
    EXPECT_THROW(policy.on_insert(FrameId{0}, Lpn{4}, Access::kWrite), ModelError);
    EXPECT_THROW(policy.remove(FrameId{1}, Lpn{4}), ModelError);
}

} // namespace
} // namespace cavern
