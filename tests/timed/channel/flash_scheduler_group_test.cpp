// Programs of several planes that run as one.

#include "timed/channel/flash_scheduler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::ManualChannel;
using testing::Started;

TEST_F(FlashSchedulerTest, ProgramsOfOnePageIndexInTwoPlanesRunAsOne) {
    submit({program(0), program(16), program(17), program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0+16", "P17+1"}));
    EXPECT_EQ(client_.programmed.size(), 2u);
}

TEST_F(FlashSchedulerTest, PagesOfOnePlaneOrOfDifferentIndexDoNotGroup) {
    submit({program(0), program(17)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    build(Discipline::kReadFirst, false);
    channel_.started.clear();
    submit({program(0), program(16)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

TEST_F(FlashSchedulerTest, AGroupHasOnePageOfEachPlaneAtMost) {
    build_planes(4); // pages of plane p: 16 p ..
    submit({program(0), program(16), program(32), program(48), program(1), program(17)});
    EXPECT_EQ(channel_.started, (Started{"P0+16+32+48"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "P1+17");
}

TEST_F(FlashSchedulerTest, AGroupNeverNamesMorePagesThanACommandHolds) {
    build_planes(16);
    FlashOpList ops;
    for (std::uint32_t plane = 0; plane < 16; ++plane) {
        ops.push_back(program(16 * plane));
    }
    submit(ops);
    EXPECT_EQ(channel_.started, (Started{"P0+16+32+48+64+80+96+112"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "P128+144+160+176+192+208+224+240");
    finish();
    EXPECT_EQ(client_.programmed.size(), 16u);
}

TEST_F(FlashSchedulerTest, TwoBlocksOfOnePlaneDoNotGroup) {
    submit({program(0), program(4)}); // index 0 of both, plane 0
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

// Pages of the host and copies alternate in the queue, each kind with a block of its own per plane.
TEST_F(FlashSchedulerTest, AGroupPassesWhatIsNotOfItsBlocks) {
    submit({program(0), program(5), erase(24), program(16), program(21), program(1), program(17)});
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "P5+21");
    finish();
    EXPECT_EQ(channel_.started.back(), "E24");
    finish();
    EXPECT_EQ(channel_.started.back(), "P1+17");
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AProgramPassesNeitherTheEraseNorAPageOfItsBlock) {
    submit({program(0), erase(16), program(16)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "E16");
    finish();
    EXPECT_EQ(channel_.started.back(), "P16");
    finish();
    submit({program(1), program(17), program(2), program(18)});
    EXPECT_EQ(channel_.started.back(), "P1+17");
    finish();
    EXPECT_EQ(channel_.started.back(), "P2+18");
    finish();
    submit({program(4), program(23), program(20)}); // 20 before 23 would be out of order
    EXPECT_EQ(channel_.started.back(), "P4");
}

// A die does not rest because an erase waits for another die.
TEST_F(FlashSchedulerTest, AnEraseThatWaitsIsPassedByWhatIsNotOfItsBlock) {
    geometry_.ways = 2;
    ManualChannel two(2); // pages of the second die: 32 ..
    FlashScheduler scheduler(geometry_,
                             FlashScheduler::Params{Discipline::kReadFirst, true, false, 64},
                             client_, events_);
    scheduler.queues().connect(ChannelId{0}, two);
    FlashOp elsewhere = program(32);
    elsewhere.supersedes = Ppn{16};
    scheduler.queues().submit({elsewhere}, {0});
    scheduler.queues().submit({erase(16), program(16), program(20), program(0), program(1)},
                              {0, 1, 2, 3, 4});
    EXPECT_EQ(two.started, (Started{"P32", "P20+0"}));
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(two.started.back(), "P1");
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(two.started.size(), 3u); // page 16 is behind the erase of its block
    scheduler.operation_finished(DieId{1});
    EXPECT_EQ(two.started.back(), "E16");
    scheduler.operation_finished(DieId{0});
    EXPECT_EQ(two.started.back(), "P16");
    scheduler.operation_finished(DieId{0});
    EXPECT_GT(scheduler.check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, AGroupLooksNoFurtherThanItsWindow) {
    for (const std::uint32_t others : {15u, 16u}) {
        build(Discipline::kReadFirst);
        channel_.started.clear();
        FlashOpList ops{program(0)};
        for (std::uint32_t i = 0; i < others; ++i) {
            ops.push_back(program(4 + i % 8)); // of plane 0
        }
        ops.push_back(program(16));
        submit(ops);
        EXPECT_EQ(channel_.started, (Started{others == 15 ? "P0+16" : "P0"}));
    }
}

TEST_F(FlashSchedulerTest, AGroupEndsAtAnotherIndexAndAtMissingData) {
    submit({program(1), program(18)});
    EXPECT_EQ(channel_.started, (Started{"P1"}));

    build(Discipline::kReadFirst);
    channel_.started.clear();
    client_.hold_data = true;
    submit({program(0), program(16), program(1)});
    EXPECT_EQ(client_.fetched.back(), 16u); // data of a whole group is asked for, not more
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[1],
                           now_ps()); // the second page's data does not start the first
    EXPECT_TRUE(channel_.started.empty());
    scheduler_->data_ready(client_.held[0], now_ps());
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
}

TEST_F(FlashSchedulerTest, AGroupDoesNotWaitForThePageThatIsLate) {
    client_.hold_data = true;
    submit({program(0), program(16)});
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[0], now_ps());
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

// Collection of one block in each plane: the reads go first, then both copies in one program.
TEST_F(FlashSchedulerTest, CopiesOfTwoPlanesMayShareAProgram) {
    FlashOpList ops = copy(0, 4);
    for (FlashOp each : copy(16, 20)) {
        each.after += each.after == FlashOp::kNone ? 0 : 2;
        ops.push_back(each);
    }
    submit(ops);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R16"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R16", "P4+20"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerTest, WithFifoTheOlderCopyGoesBeforeTheYoungerRead) {
    build(Discipline::kFifo);
    FlashOpList ops = copy(0, 4);
    for (FlashOp each : copy(16, 20)) {
        each.after += each.after == FlashOp::kNone ? 0 : 2;
        ops.push_back(each);
    }
    submit(ops);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"}));
}

TEST_F(FlashSchedulerTest, PagesOfAMultiPlaneProgramAllCompleteBeforeAReadOfOneStarts) {
    submit({program(0), program(16)});
    scheduler_->queues().submit_read(Ppn{16}, kNoLpn, 5);
    channel_.on_start = [this] {
        EXPECT_FALSE(scheduler_->queues().graph().pending_program(Ppn{0}).found);
        EXPECT_EQ(client_.programmed.size(), 2u);
    };
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0+16", "R16"}));
}

} // namespace
} // namespace cavern
