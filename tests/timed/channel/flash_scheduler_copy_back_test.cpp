// Which copies the dies make by themselves.

#include "timed/channel/flash_scheduler.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::Started;

/// Two planes of four blocks of four pages: the second plane begins with page 16.
class CopyBackTest : public FlashSchedulerTest {
  protected:
    CopyBackTest() { copy_backs_ = 1; }
    void SetUp() override { build(Discipline::kReadFirst, false); }
    [[nodiscard]] Ppn source() { return channel_.command(0).source; }
};

TEST_F(CopyBackTest, ACopyWithinAPlaneIsOneOperationAndTakesNoPageOfTheSdram) {
    submit(copy(0, 8));
    EXPECT_EQ(channel_.started, (Started{"P8"}));
    EXPECT_EQ(source(), Ppn{0});
    finish();
    EXPECT_TRUE(client_.stored.empty());
    EXPECT_TRUE(client_.copies_fetched.empty());
    EXPECT_EQ(scheduler_->queues().submitted() - scheduler_->outstanding(), 2u);
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(CopyBackTest, WithoutCopyBackTheControllerCopies) {
    copy_backs_ = 0;
    build(Discipline::kReadFirst, false);
    submit(copy(0, 8));
    EXPECT_EQ(channel_.started, (Started{"R0"}));
}

TEST_F(CopyBackTest, ACopyToAnotherPlaneGoesThroughTheController) {
    submit(copy(0, 16));
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P16"}));
    EXPECT_EQ(source(), kNoPpn);
}

TEST_F(CopyBackTest, WhatTheControllerChangesGoesThroughIt) {
    FlashOpList ops = copy(0, 8);
    ops[1].rewrites = true;
    submit(ops);
    EXPECT_EQ(channel_.started, (Started{"R0"}));
}

TEST_F(CopyBackTest, EveryOtherCopyGoesThroughTheControllerWhereOneInARowIsAllowed) {
    submit(copy(0, 8));
    finish();
    submit(copy(8, 4));
    EXPECT_EQ(channel_.started, (Started{"P8", "R8"}));
    finish();
    finish();
    EXPECT_EQ(channel_.started.back(), "P4");
    submit(copy(4, 12));
    EXPECT_EQ(channel_.started.back(), "P12");
    EXPECT_EQ(source(), Ppn{4});
}

// The page is erased and written anew in the same list: that is of other data.
TEST_F(CopyBackTest, TheCountIsThatOfTheDataThatAreCopied) {
    submit(copy(0, 8));
    finish();
    FlashOpList ops = copy(8, 4);
    ops.push_back(erase(8));
    ops.push_back(program(8));
    submit(ops);
    EXPECT_EQ(channel_.started.back(), "R8");
}

TEST_F(CopyBackTest, TwoCopiesInARowStayInTheDieWhereThatIsAllowed) {
    copy_backs_ = 2;
    build(Discipline::kReadFirst, false);
    submit(copy(0, 8));
    finish();
    submit(copy(8, 4));
    finish();
    submit(copy(4, 12));
    EXPECT_EQ(channel_.started, (Started{"P8", "P4", "R4"}));
}

TEST_F(CopyBackTest, ACopyOfAPageWhoseProgramIsPendingGoesThroughTheController) {
    submit({program(0)});
    submit(copy(0, 8));
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "R0"}));
}

TEST_F(CopyBackTest, TheBlockOfTheSourceIsErasedAfterwards) {
    submit(copy(0, 8));
    submit({erase(0)});
    EXPECT_EQ(channel_.started, (Started{"P8"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P8", "E0"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

// A read of the copy finds the data where they come from.
TEST_F(CopyBackTest, AReadOfACopyThatWaitsGoesToItsSource) {
    submit({program(12)});
    submit(copy(0, 8));
    scheduler_->queues().submit_read(Ppn{8}, kNoLpn, 7);
    finish();
    EXPECT_EQ(channel_.started, (Started{"P12", "R0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P12", "R0", "P8"}));
    EXPECT_EQ(source(), Ppn{0});
}

// One page of the SDRAM is in use; copies in the die do not wait for it.
TEST_F(CopyBackTest, CopiesInTheDieDoNotWaitForThoseOfTheController) {
    copy_pages_ = 1;
    build(Discipline::kFifo, false);
    client_.hold_data = true;
    submit(copy(0, 16));
    finish();
    submit(copy(1, 8));
    EXPECT_EQ(channel_.started, (Started{"R0"})) << "programs of a die start in order";
    scheduler_->data_ready(client_.held[0], 0);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P16", "P8"}));
}

} // namespace
} // namespace cavern
