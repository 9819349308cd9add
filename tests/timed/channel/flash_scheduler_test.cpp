// The order of operations and what they wait for.

#include "timed/channel/flash_scheduler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::ManualChannel;
using testing::Started;

TEST_F(FlashSchedulerTest, ProgramsOfADieStartInTheOrderDecided) {
    submit({program(0), program(1), program(2)});
    finish();
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1", "P2"}));
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, WritesUnderWayAreInTheOrderSubmitted) {
    submit({program(0), program(1)});
    finish();
    submit({program(2), erase(2)}); // the first in the place of the one that has ended
    std::vector<Ppn> pages;
    for (const OpGraph::Write& write : scheduler_->queues().graph().writes_under_way()) {
        pages.push_back(write.flash.page);
    }
    EXPECT_EQ(pages, (std::vector<Ppn>{Ppn{1}, Ppn{2}, erase(2).page}));
}

TEST_F(FlashSchedulerTest, AProgramWaitsForTheEraseOfItsBlock) {
    submit({erase(0), program(0)});
    EXPECT_EQ(channel_.started, (Started{"E0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"E0", "P0"}));
}

TEST_F(FlashSchedulerTest, AReadOfAPageBeingProgrammedWaitsForIt) {
    submit({program(0), program(1)});
    scheduler_->queues().submit_read(Ppn{1}, Lpn{7}, 99);
    EXPECT_TRUE(scheduler_->queues().graph().pending_program(Ppn{1}).found);
    finish(); // P0 done; the read is not ready, though reads come first
    EXPECT_EQ(channel_.started, (Started{"P0", "P1"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1", "R1"}));
    EXPECT_FALSE(scheduler_->queues().graph().pending_program(Ppn{1}).found);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{99}));
}

TEST_F(FlashSchedulerTest, AnEraseWaitsForEveryOutstandingReadOfItsBlock) {
    build(Discipline::kFifo);
    submit({program(4)}); // keeps the die busy
    submit({erase(0)});
    scheduler_->queues().submit_read(Ppn{1}, kNoLpn,
                                     1); // decided later, but the erase must not destroy it
    finish();
    EXPECT_EQ(channel_.started, (Started{"P4", "R1"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P4", "R1", "E0"}));
}

TEST_F(FlashSchedulerTest, ReadsOvertakeProgramsOnlyWithReadFirst) {
    submit({program(0), program(1)});
    scheduler_->queues().submit_read(Ppn{8}, kNoLpn, 1);
    finish();
    EXPECT_EQ(channel_.started.back(), "R8");

    channel_.started.clear();
    build(Discipline::kFifo);
    submit({program(0), program(1)});
    scheduler_->queues().submit_read(Ppn{8}, kNoLpn, 1);
    finish();
    EXPECT_EQ(channel_.started.back(), "P1");
}

// ---- reads of the host before others
// -------------------------------------------------------------

TEST_F(FlashSchedulerTest, ReadsOfTheHostGoBeforeThoseOfCollection) {
    submit(copy(0, 4));
    submit(copy(1, 5));
    submit(copy(2, 6));
    scheduler_->queues().submit_read(Ppn{8}, kNoLpn, 1);
    scheduler_->queues().submit_read(Ppn{9}, kNoLpn, 2);
    for (int operations = 0; operations < 4; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"R0", "R8", "R9", "R1", "R2"}));
}

TEST_F(FlashSchedulerTest, WhenTheHostStopsReadingCollectionGoesOnToItsErase) {
    FlashOpList ops = copy(0, 4);
    ops.push_back(erase(0));
    submit({program(8)});
    submit(ops);
    for (std::uint32_t read = 0; read < 5; ++read) {
        scheduler_->queues().submit_read(Ppn{9}, kNoLpn, read);
    }
    for (int operations = 0; operations < 9; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"P8", "R9", "R9", "R9", "R9", "R9", "R0", "P4", "E0"}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, InOrderOfSubmissionNoReadGoesFirst) {
    build(Discipline::kFifo);
    submit(copy(0, 4));
    submit(copy(1, 5));
    scheduler_->queues().submit_read(Ppn{8}, kNoLpn, 1);
    submit({program(12)});
    for (int operations = 0; operations < 5; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "R1", "P5", "R8", "P12"}));
}

// Wear levelling and rescues are others, too.
TEST_F(FlashSchedulerTest, WhatLevelsWearOrRescuesPagesWaitsForReadsOfTheHost) {
    for (const Origin origin : {Origin::kWear, Origin::kRescue, Origin::kMerge, Origin::kPadding}) {
        build(Discipline::kReadFirst);
        channel_.started.clear();
        submit({program(8)});
        submit({op(FlashOpKind::kRead, 0, origin)});
        scheduler_->queues().submit_read(Ppn{9}, kNoLpn, 1);
        finish();
        finish();
        EXPECT_EQ(channel_.started, (Started{"P8", "R9", "R0"}));
        finish();
        EXPECT_GT(scheduler_->check_idle(), 0u);
    }
}

// ---- copies -------------------------------------------------------------------------------------

TEST_F(FlashSchedulerTest, ACopyIsProgrammedAfterItsReadWasStored) {
    FlashOpList ops = copy(0, 4);
    ops.push_back(erase(0));
    ops.back().after = 1;
    ops.push_back(program(5));
    submit(ops);
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "E0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "E0", "P5"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, DataOfTheNextProgramIsFetchedWhileTheDieIsBusy) {
    build(Discipline::kReadFirst, false);
    submit({program(0), program(1), program(2)});
    EXPECT_EQ(client_.fetched, (std::vector<std::uint32_t>{0, 1}));
    finish();
    EXPECT_EQ(client_.fetched, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST_F(FlashSchedulerTest, AProgramWithoutDataDoesNotStart) {
    client_.hold_data = true;
    submit({program(0)});
    EXPECT_TRUE(channel_.started.empty());
    scheduler_->data_ready(client_.held.front(), now_ps());
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

// ---- what completes when ------------------------------------------------------------------------

TEST_F(FlashSchedulerTest, AReadThatWaitedForItsProgramTakesItsOwnTime) {
    submit({program(0)});
    scheduler_->queues().submit_read(Ppn{0}, kNoLpn, 99);
    finish(); // the program; the read starts, but is not done
    EXPECT_EQ(channel_.started, (Started{"P0", "R0"}));
    EXPECT_TRUE(client_.read.empty());
    EXPECT_EQ(scheduler_->outstanding(), 1u);
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{99}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, ACopyWhosePageIsStoredAtOnceIsNotDoneUntilItIsProgrammed) {
    submit(copy(0, 4));
    finish(); // the read; its page is stored inside the call, the copy starts inside it
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
    EXPECT_EQ(scheduler_->outstanding(), 1u);
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

// ---- a block that is programmed, erased and programmed again within one queue -------------------

TEST_F(FlashSchedulerTest, AnEraseDoesNotWaitForReadsOfWhatIsProgrammedAfterIt) {
    submit({program(0)}); // keeps the die busy
    submit({erase(4)});
    submit({program(4)}); // into the block the erase clears
    scheduler_->queues().submit_read(Ppn{4}, kNoLpn, 9);
    for (int operations = 0; operations < 4; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"P0", "E4", "P4", "R4"}));
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{9}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

// Two dies: page 0 of die 0 is copied to die 1, at page 16, and its block erased. No dependency is
// named: the copy may be one of several that go to different dies.
TEST_F(FlashSchedulerTest, AnEraseWaitsForTheProgramsOfCopiesOnAnotherDie) {
    geometry_ = {1, 2, 1, 1, 4, 4, 2048, 64};
    ManualChannel channel(2);
    FlashScheduler scheduler(geometry_,
                             FlashScheduler::Params{Discipline::kReadFirst, true, false, 64},
                             client_, events_);
    scheduler.queues().connect(ChannelId{0}, channel);
    FlashOpList ops = copy(0, 16);
    ops.push_back(erase(0));
    ops.push_back(program(0));
    scheduler.queues().submit(ops, {0, 0, 0, 0});
    scheduler.operation_finished(DieId{0}); // the page is read, its copy is being programmed
    EXPECT_EQ(channel.started, (Started{"R0", "P16"}));
    scheduler.queues().submit_read(Ppn{1}, Lpn{1}, 7);
    EXPECT_EQ(channel.started, (Started{"R0", "P16", "R1"})); // the die itself is free
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(channel.started.size(), 3u);
    scheduler.operation_finished(DieId{1});
    EXPECT_EQ(channel.started.back(), "E0");
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(channel.started.back(), "P0");
    scheduler.operation_finished(DieId{0});
    EXPECT_GT(scheduler.check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AReadOfAPageProgrammedTwiceWaitsForTheSecondTime) {
    submit({program(0), erase(0), program(0)});
    finish(); // the first program; the second is still pending
    EXPECT_TRUE(scheduler_->queues().graph().pending_program(Ppn{0}).found);
    scheduler_->queues().submit_read(Ppn{0}, kNoLpn, 3);
    EXPECT_EQ(channel_.started, (Started{"P0", "E0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "E0", "P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "E0", "P0", "R0"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AReadBeforeAnEraseIsNotConfusedWithOneAfterIt) {
    submit({program(4)});                                // keeps the die busy
    scheduler_->queues().submit_read(Ppn{0}, kNoLpn, 1); // what is there now
    submit({erase(0)});
    submit({program(0)});
    scheduler_->queues().submit_read(Ppn{0}, kNoLpn, 2); // what will be there
    for (int operations = 0; operations < 5; ++operations) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"P4", "R0", "E0", "P0", "R0"}));
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(FlashSchedulerTest, AnEraseDoesNotWaitForReadsOfOtherBlocks) {
    build(Discipline::kFifo);
    submit({program(8)}); // keeps the die busy
    submit({erase(0)});
    scheduler_->queues().submit_read(Ppn{5}, kNoLpn, 1);
    finish();
    EXPECT_EQ(channel_.started, (Started{"P8", "E0"}));
}

TEST_F(FlashSchedulerTest, OperationsLeftOverAtTheEndAreReported) {
    submit({program(0)});
    EXPECT_THROW(static_cast<void>(scheduler_->check_idle()), ModelError);
}

} // namespace
} // namespace cavern
