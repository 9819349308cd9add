// Data announced ahead of its time, and how long a program may be kept waiting.

#include "timed/channel/flash_scheduler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::ManualChannel;
using testing::pass;
using testing::Started;

// ---- how long a program may be kept waiting -----------------------------------------------------

/// A read stream that never lets the die run dry: each read is there before the last has ended.
std::uint32_t reads_before_the_program(FlashScheduler& scheduler, const ManualChannel& channel) {
    scheduler.queues().submit_read(Ppn{8}, kNoLpn, 0);
    for (std::uint32_t reads = 1; reads <= 1000; ++reads) {
        scheduler.queues().submit_read(Ppn{8 + reads % 8}, kNoLpn, reads);
        scheduler.operation_finished(DieId{0});
        if (channel.started.back() == "P1") {
            return reads;
        }
    }
    return 1000;
}

TEST_F(FlashSchedulerTest, ReadFirstLetsAnUnbrokenStreamOfReadsHoldAProgramForEver) {
    submit({program(0), program(1)});
    EXPECT_EQ(reads_before_the_program(*scheduler_, channel_), 1000u);
    while (channel_.started.back() != "P1") { // only the end of the stream lets it go
        finish();
    }
}

TEST_F(FlashSchedulerTest, FifoKeepsNoProgramBehindAYoungerRead) {
    build(Discipline::kFifo);
    submit({program(0), program(1)});
    EXPECT_EQ(reads_before_the_program(*scheduler_, channel_), 1u);
}

// ---- data announced ahead of its time -----------------------------------------------------------

TEST_F(FlashSchedulerTest, AnnouncedDataIsAwaitedWhereTheDieIsIdle) {
    client_.data_at = 100;
    submit({program(0)});
    EXPECT_FALSE(events_.idle());
    pass(99);
    EXPECT_TRUE(channel_.started.empty());
    pass(1);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AnnouncedDataIsNotAwaitedWhileTheDieIsBusy) {
    build(Discipline::kReadFirst, false);
    submit({program(0)});
    client_.data_at = 100;
    submit({program(1)});
    EXPECT_TRUE(events_.idle());
    pass(150);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1"}));
    EXPECT_TRUE(events_.idle());
}

TEST_F(FlashSchedulerTest, DataThatIsStillComingDoesNotJoinAGroup) {
    client_.hold_data = true;
    submit({program(0), program(16)});
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[1], 200);
    pass(100);
    scheduler_->data_ready(client_.held[0], 100);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    pass(100);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P16"}));
}

TEST_F(FlashSchedulerTest, DataThatHasComeMeanwhileJoinsAGroup) {
    client_.hold_data = true;
    submit({program(0), program(16)});
    scheduler_->data_ready(client_.held[1], 90);
    pass(100);
    scheduler_->data_ready(client_.held[0], 100);
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
}

TEST_F(FlashSchedulerTest, AReadMayGoWhileTheDataOfAnOlderProgramIsComing) {
    build(Discipline::kFifo);
    client_.data_at = 100;
    submit({program(0)});
    scheduler_->queues().submit_read(Ppn{8}, kNoLpn, 1);
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    pass(100);
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "P0"}));
}

// ---- pages copied -------------------------------------------------------------------------------

TEST_F(FlashSchedulerTest, ACopyIsProgrammedWhenItsPageIsStored) {
    client_.store_time = 50;
    submit(copy(0, 4));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    EXPECT_TRUE(client_.fetched.empty());
    pass(49);
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    pass(1);
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, ACopyOfUnknownStoreTimeWaitsUntilItIsTold) {
    client_.hold_copies = true;
    submit(copy(0, 4));
    finish();
    pass(1000);
    ASSERT_EQ(client_.held.size(), 1u);
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    scheduler_->data_stored(client_.held[0], 1500);
    pass(499);
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    pass(1);
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

} // namespace
} // namespace cavern
