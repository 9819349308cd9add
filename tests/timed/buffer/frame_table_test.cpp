#include "timed/buffer/frame_table.h"

#include <deque>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "core/base/random.h"

namespace cavern {
namespace {

constexpr RecordId kNoRecord = kNil<RecordId>;
constexpr BatchId kNoBatch = kNil<BatchId>;

class FrameTableTest : public ::testing::Test {
  protected:
    /// A page decided and waiting, as the buffer manager makes one.
    RecordId page(BatchId batch = kNoBatch) {
        const RecordId record = table_.create(Lpn{next_++});
        table_[record].resident = true;
        table_.wait_for_frame(record, batch);
        return record;
    }
    /// Evicted and programmed: the frame may go.
    void let_go(RecordId record) {
        table_[record].resident = false;
        table_.retire_if_unused(record);
    }

    FrameTable table_{2};
    std::uint64_t next_ = 0;
};

TEST_F(FrameTableTest, APageThatIsThereHasAFrameAtOnce) {
    FrameTable table{2, 4};
    table.adopt(Lpn{7}, FrameId{3});
    const RecordId record = table.record_of(FrameId{3});
    EXPECT_EQ(table[record].lpn, Lpn{7});
    EXPECT_TRUE(table[record].resident);
    EXPECT_NE(table[record].frame, kNil<FrameSlot>);
    EXPECT_EQ(table.frames_in_use(), 1u);
    EXPECT_EQ(table.free_frames(), 1u);
    table.drop(FrameId{3});
    EXPECT_EQ(table.frames_in_use(), 0u);
    EXPECT_EQ(table.records_in_use(), 0u);
}

TEST_F(FrameTableTest, FramesAreGrantedInTheOrderAsked) {
    const RecordId a = page();
    const RecordId b = page();
    const RecordId c = page();
    EXPECT_EQ(table_.grant_next(), a);
    EXPECT_EQ(table_.grant_next(), b);
    EXPECT_NE(table_[a].frame, table_[b].frame);
    EXPECT_EQ(table_.grant_next(), kNoRecord);
    EXPECT_TRUE(table_.someone_waits());
    let_go(b);
    EXPECT_EQ(table_.grant_next(), c);
    EXPECT_FALSE(table_.someone_waits());
    EXPECT_EQ(table_.grant_next(), kNoRecord);
}

TEST(FrameTableOfPassingPagesTest, APageThatPassesHasASlotOfItsOwnThoughAllFramesAreTaken) {
    FrameTable table(1, 0, 2);
    const auto wait = [&](bool passes) {
        const RecordId record = table.create(Lpn{1});
        table[record].resident = true;
        passes ? table.wait_to_pass(record) : table.wait_for_frame(record, kNoBatch);
        return record;
    };
    const RecordId kept = wait(false);
    EXPECT_EQ(table.grant_next(), kept);
    const RecordId waiting = wait(false);
    const RecordId first = wait(true);
    const RecordId second = wait(true);
    const RecordId third = wait(true);
    EXPECT_EQ(table.grant_next(), first);
    EXPECT_EQ(table.grant_next(), second);
    EXPECT_EQ(table.grant_next(), kNoRecord); // two slots, and one frame
    EXPECT_NE(table[first].frame, table[second].frame);
    EXPECT_GE(raw(table[first].frame), 1u);
    table[second].resident = false;
    table.retire_if_unused(second);
    EXPECT_EQ(table.grant_next(), third); // its slot is for those that pass, not for `waiting`
    table[kept].resident = false;
    table.retire_if_unused(kept);
    EXPECT_EQ(table.grant_next(), waiting);
    EXPECT_EQ(raw(table[waiting].frame), 0u);
    EXPECT_FALSE(table.someone_waits());
}

TEST_F(FrameTableTest, ALowerLimitHoldsForPagesThatQueueAfterIt) {
    const RecordId a = page();
    const RecordId b = page();
    EXPECT_EQ(table_.grant_next(), a);
    EXPECT_EQ(table_.grant_next(), b);
    const RecordId before = page();
    table_.set_limit(1);
    const RecordId after = page();
    let_go(a);
    EXPECT_EQ(table_.grant_next(), before);
    let_go(b);
    EXPECT_EQ(table_.grant_next(), kNoRecord); // one in use
    let_go(before);
    EXPECT_EQ(table_.grant_next(), after);
    const RecordId last = page();
    EXPECT_EQ(table_.grant_next(), kNoRecord);
    table_.set_limit(2);
    const RecordId later = page();
    EXPECT_EQ(table_.grant_next(), kNoRecord); // first come, first served
    let_go(after);
    EXPECT_EQ(table_.grant_next(), last);
    EXPECT_EQ(table_.grant_next(), later);
}

TEST_F(FrameTableTest, AFrameIsFreeOnlyWhenNothingUsesItsPageAnyMore) {
    const RecordId a = page();
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
    const RecordId a = table_.create(Lpn{1});
    table_.retire_if_unused(a);
    EXPECT_EQ(table_.free_frames(), 2u);
    EXPECT_EQ(table_.records_in_use(), 0u);
}

TEST_F(FrameTableTest, APageThatAwaitsABatchBlocksThoseBehindIt) {
    const BatchId batch = table_.create_batch(2, 1);
    const RecordId a = page(batch);
    page();
    EXPECT_EQ(table_.grant_next(), kNoRecord); // frames are free, the batch is not programmed
    table_.page_programmed(batch);
    EXPECT_EQ(table_.grant_next(), kNoRecord);
    table_.page_programmed(batch);
    EXPECT_EQ(table_.grant_next(), a);
    EXPECT_NE(table_.grant_next(), kNoRecord);
}

TEST(FrameTableOfTheCoreTest, AFrameOfTheCoreMeansThePageThatSettledLast) {
    FrameTable table(2, 2);
    const RecordId a = table.create(Lpn{1});
    table.settle(a, FrameId{1});
    EXPECT_TRUE(table[a].resident);
    EXPECT_EQ(table.record_of(FrameId{1}), a);
    // The core reuses the number at once; the page before is still in its physical frame.
    table[a].in_flight = true;
    table[a].resident = false;
    const RecordId b = table.create(Lpn{2});
    table.settle(b, FrameId{1});
    EXPECT_EQ(table.record_of(FrameId{1}), b);
    EXPECT_EQ(table.records_in_use(), 2u);
    table.drop(FrameId{1});
    EXPECT_EQ(table.records_in_use(), 1u); // the one in flight
}

TEST_F(FrameTableTest, ABatchNobodyAwaitsGoesByItself) {
    const BatchId first = table_.create_batch(1, 1);
    table_.page_programmed(first);
    EXPECT_EQ(table_.create_batch(1, 1), first); // its place is free again
}

TEST_F(FrameTableTest, AnAwaitedBatchIsFreeOnceItIsUsed) {
    const BatchId batch = table_.create_batch(1, 1);
    page(batch);
    table_.page_programmed(batch);
    EXPECT_NE(table_.create_batch(1, 1), batch); // still asked for
    EXPECT_NE(table_.grant_next(), kNoRecord);
    EXPECT_EQ(table_.create_batch(1, 1), batch);
}

// Every frame belongs to one page at most, and none gets lost, over a long random life.
TEST(FrameTableRandomTest, NoFrameIsGrantedTwiceOrLost) {
    constexpr std::uint32_t kFrames = 7;
    FrameTable table(kFrames);
    std::deque<RecordId> waiting;
    std::vector<RecordId> granted;
    Random random(1);
    std::uint64_t lpn = 0;
    std::uint64_t grants = 0;
    for (int step = 0; step < 200'000; ++step) {
        if (waiting.size() < 20 && random.below(2) == 0) {
            const RecordId record = table.create(Lpn{lpn++});
            table[record].resident = true;
            table.wait_for_frame(record, kNoBatch);
            waiting.push_back(record);
        } else if (!granted.empty()) {
            const std::size_t which = random.below(granted.size());
            table[granted[which]].resident = false;
            table.retire_if_unused(granted[which]);
            granted[which] = granted.back();
            granted.pop_back();
        }
        for (RecordId record = table.grant_next(); record != kNoRecord;
             record = table.grant_next()) {
            ASSERT_EQ(record, waiting.front());
            waiting.pop_front();
            granted.push_back(record);
            ++grants;
        }
        std::set<FrameSlot> frames;
        for (const RecordId record : granted) {
            ASSERT_LT(raw(table[record].frame), kFrames);
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
