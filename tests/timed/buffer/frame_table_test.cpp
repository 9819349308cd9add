#include "timed/buffer/frame_table.h"

#include <deque>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "core/base/random.h"

namespace cavern {
namespace {

constexpr std::uint32_t kNil = FrameTable::kNil;

class FrameTableTest : public ::testing::Test {
  protected:
    /// A page decided and waiting, as the buffer manager makes one.
    std::uint32_t page(std::uint32_t batch = kNil) {
        const std::uint32_t record = table_.create(Lpn{next_++});
        table_[record].resident = true;
        table_.wait_for_frame(record, batch);
        return record;
    }
    /// Evicted and programmed: the frame may go.
    void let_go(std::uint32_t record) {
        table_[record].resident = false;
        table_.retire_if_unused(record);
    }

    FrameTable table_{2};
    std::uint64_t next_ = 0;
};

TEST_F(FrameTableTest, FramesAreGrantedInTheOrderAsked) {
    const std::uint32_t a = page();
    const std::uint32_t b = page();
    const std::uint32_t c = page();
    EXPECT_EQ(table_.grant_next(), a);
    EXPECT_EQ(table_.grant_next(), b);
    EXPECT_NE(table_[a].frame, table_[b].frame);
    EXPECT_EQ(table_.grant_next(), kNil);
    EXPECT_TRUE(table_.someone_waits());
    let_go(b);
    EXPECT_EQ(table_.grant_next(), c);
    EXPECT_FALSE(table_.someone_waits());
    EXPECT_EQ(table_.grant_next(), kNil);
}

TEST_F(FrameTableTest, ALowerLimitHoldsForPagesThatQueueAfterIt) {
    const std::uint32_t a = page();
    const std::uint32_t b = page();
    EXPECT_EQ(table_.grant_next(), a);
    EXPECT_EQ(table_.grant_next(), b);
    const std::uint32_t before = page();
    table_.set_limit(1);
    const std::uint32_t after = page();
    let_go(a);
    EXPECT_EQ(table_.grant_next(), before);
    let_go(b);
    EXPECT_EQ(table_.grant_next(), kNil); // one in use
    let_go(before);
    EXPECT_EQ(table_.grant_next(), after);
    const std::uint32_t last = page();
    EXPECT_EQ(table_.grant_next(), kNil);
    table_.set_limit(2);
    const std::uint32_t later = page();
    EXPECT_EQ(table_.grant_next(), kNil); // first come, first served
    let_go(after);
    EXPECT_EQ(table_.grant_next(), last);
    EXPECT_EQ(table_.grant_next(), later);
}

TEST_F(FrameTableTest, AFrameIsFreeOnlyWhenNothingUsesItsPageAnyMore) {
    const std::uint32_t a = page();
    ASSERT_EQ(table_.grant_next(), a);
    EXPECT_EQ(table_.free_frames(), 1u);
    PageRecord& record = table_[a];
    record.in_flight = true;
    record.inbound = 1;
    record.readers = 1;
    const auto still_held = [&] {
        table_.retire_if_unused(a);
        return table_.records_in_use() == 1 && table_.free_frames() == 1;
    };
    EXPECT_TRUE(still_held());
    record.resident = false;
    EXPECT_TRUE(still_held());
    record.in_flight = false;
    EXPECT_TRUE(still_held());
    record.inbound = 0;
    EXPECT_TRUE(still_held());
    record.readers = 0;
    EXPECT_FALSE(still_held());
    EXPECT_EQ(table_.free_frames(), 2u);
    EXPECT_EQ(table_.records_in_use(), 0u);
}

TEST_F(FrameTableTest, APageThatNeverHadAFrameGivesNoneBack) {
    const std::uint32_t a = table_.create(Lpn{1});
    table_.retire_if_unused(a);
    EXPECT_EQ(table_.free_frames(), 2u);
    EXPECT_EQ(table_.records_in_use(), 0u);
}

TEST_F(FrameTableTest, APageThatAwaitsABatchBlocksThoseBehindIt) {
    const std::uint32_t batch = table_.create_batch(2, 1);
    const std::uint32_t a = page(batch);
    page();
    EXPECT_EQ(table_.grant_next(), kNil); // frames are free, the batch is not programmed
    table_.page_programmed(batch);
    EXPECT_EQ(table_.grant_next(), kNil);
    table_.page_programmed(batch);
    EXPECT_EQ(table_.grant_next(), a);
    EXPECT_NE(table_.grant_next(), kNil);
}

TEST_F(FrameTableTest, ABatchNobodyAwaitsGoesByItself) {
    const std::uint32_t first = table_.create_batch(1, 1);
    table_.page_programmed(first);
    EXPECT_EQ(table_.create_batch(1, 1), first); // its place is free again
}

TEST_F(FrameTableTest, AnAwaitedBatchIsFreeOnceItIsUsed) {
    const std::uint32_t batch = table_.create_batch(1, 1);
    page(batch);
    table_.page_programmed(batch);
    EXPECT_NE(table_.create_batch(1, 1), batch); // still asked for
    EXPECT_NE(table_.grant_next(), kNil);
    EXPECT_EQ(table_.create_batch(1, 1), batch);
}

// Every frame belongs to one page at most, and none gets lost, over a long random life.
TEST(FrameTableRandomTest, NoFrameIsGrantedTwiceOrLost) {
    constexpr std::uint32_t kFrames = 7;
    FrameTable table(kFrames);
    std::deque<std::uint32_t> waiting;
    std::vector<std::uint32_t> granted;
    Random random(1);
    std::uint64_t lpn = 0;
    std::uint64_t grants = 0;
    for (int step = 0; step < 200'000; ++step) {
        if (waiting.size() < 20 && random.below(2) == 0) {
            const std::uint32_t record = table.create(Lpn{lpn++});
            table[record].resident = true;
            table.wait_for_frame(record, kNil);
            waiting.push_back(record);
        } else if (!granted.empty()) {
            const std::size_t which = random.below(granted.size());
            table[granted[which]].resident = false;
            table.retire_if_unused(granted[which]);
            granted[which] = granted.back();
            granted.pop_back();
        }
        for (std::uint32_t record = table.grant_next(); record != kNil;
             record = table.grant_next()) {
            ASSERT_EQ(record, waiting.front());
            waiting.pop_front();
            granted.push_back(record);
            ++grants;
        }
        std::set<std::uint32_t> frames;
        for (const std::uint32_t record : granted) {
            ASSERT_LT(table[record].frame, kFrames);
            ASSERT_TRUE(frames.insert(table[record].frame).second);
        }
        ASSERT_EQ(frames.size() + table.free_frames(), kFrames);
        ASSERT_TRUE(waiting.empty() || table.free_frames() == 0);
        ASSERT_EQ(table.records_in_use(), waiting.size() + granted.size());
    }
    EXPECT_GT(grants, 10'000u);
}

} // namespace
} // namespace cavern
