// Reads of pages that are being moved, and the blocks that they are moved out of.

#include "timed/channel/flash_scheduler.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::ManualChannel;
using testing::Started;

/// Two dies of one plane on one channel: pages 0..15 and 16..31, four a block.
class MovedPageTest : public FlashSchedulerTest {
  protected:
    void SetUp() override { build(Discipline::kReadFirst); }
    void build(Discipline discipline) {
        geometry_ = {1, 2, 1, 1, 4, 4, 2048, 64};
        two_.started.clear();
        scheduler_ = std::make_unique<FlashScheduler>(
            geometry_, FlashScheduler::Params{discipline, true, false, 64}, client_, events_);
        scheduler_->queues().connect(ChannelId{0}, two_);
    }
    void finish(std::uint32_t die) { scheduler_->operation_finished(DieId{die}); }
    void read(std::uint32_t page, std::uint32_t context) {
        scheduler_->queues().submit_read(Ppn{page}, Lpn{9}, context);
    }
    static FlashOp map(FlashOpKind kind, std::uint32_t page) {
        return op(kind, page, Origin::kMapping);
    }
    void expect_idle() { EXPECT_GT(scheduler_->check_idle(), 0u); }
    ManualChannel two_{2};
};

TEST_F(MovedPageTest, AReadOfAPageBeingMovedReadsWhereItComesFrom) {
    submit({program(8)}); // keeps the die busy
    submit(copy(0, 4));
    read(4, 7);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "R0"}));
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "R0", "R0"})); // the program waits, the read does not
    finish(0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(two_.started.back(), "P4");
    finish(0);
    read(4, 8); // from now on there
    EXPECT_EQ(two_.started.back(), "R4");
    finish(0);
    expect_idle();
}

TEST_F(MovedPageTest, TheSourceIsReadAtItsOwnDie) {
    submit({program(20)}); // keeps the die busy that the page goes to
    submit(copy(0, 16));
    finish(0);
    read(16, 7);
    EXPECT_EQ(two_.started, (Started{"P20", "R0", "R0"}));
    finish(0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    finish(1);
    EXPECT_EQ(two_.started.back(), "P16");
    finish(1);
    expect_idle();
}

// The erase was decided before the read and is first in the queue of its die when the read comes.
TEST_F(MovedPageTest, TheSourceIsNotErasedBeforeItIsRead) {
    FlashOpList ops = copy(0, 16);
    ops.push_back(erase(0));
    ops.push_back(program(0)); // the block is used again
    submit(ops);
    finish(0); // the page is read; its copy is being programmed
    EXPECT_EQ(two_.started, (Started{"R0", "P16"}));
    submit({map(FlashOpKind::kRead, 8)}); // keeps the die busy
    read(16, 7);
    finish(1); // nothing but the read holds the block now
    finish(0);
    EXPECT_EQ(two_.started, (Started{"R0", "P16", "R8", "R0"}));
    finish(0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(two_.started.back(), "E0");
    read(16, 8);
    EXPECT_EQ(two_.started.back(), "R16");
    finish(0);
    EXPECT_EQ(two_.started.back(), "P0");
    finish(0);
    finish(1);
    expect_idle();
}

TEST_F(MovedPageTest, APageMovedTwiceIsReadWhereItLiesInFlash) {
    submit({program(8), program(20)}); // keep both dies busy
    submit(copy(0, 16));
    submit(copy(16, 4)); // decided while the first copy waits
    read(4, 7);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "P20", "R0"}));
    finish(0);
    EXPECT_EQ(two_.started.back(), "R0"); // of the second copy, which does not wait for the first
    finish(0);
    EXPECT_EQ(two_.started.back(), "R0");
    finish(0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(two_.started.back(), "P4");
    finish(0);
    finish(1);
    finish(1);
    expect_idle();
}

// Page 16 is the newest place in flash until page 4 is, though that was read out of page 0.
TEST_F(MovedPageTest, ABlockBetweenTwoMovesIsHeldUntilTheSecondIsProgrammed) {
    submit({program(8)});
    FlashOpList ops = copy(0, 16);
    ops.push_back(erase(0));
    submit(ops);
    submit({program(12)});
    ops = copy(16, 4);
    ops.push_back(erase(16));
    submit(ops);
    finish(0);                                                          // P8
    finish(0);                                                          // R0 of the first copy
    finish(0);                                                          // R0 of the second
    EXPECT_EQ(two_.started, (Started{"P8", "R0", "P16", "R0", "P12"})); // past the erase
    finish(1); // page 0 may go now, page 16 may not
    finish(0);
    EXPECT_EQ(two_.started.back(), "E0");
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "R0", "P16", "R0", "P12", "E0", "P4"}));
    finish(0);
    EXPECT_EQ(two_.started.back(), "E16");
    finish(1);
    expect_idle();
}

// Page 0 goes to page 16, and after the erase of its block back to where it was.
TEST_F(MovedPageTest, APageMovedThereAndBackIsReadBeforeTheEraseBetween) {
    submit({program(20), program(8)}); // keep both dies busy
    FlashOpList ops = copy(0, 16);
    ops.push_back(erase(0));
    submit(ops);
    submit(copy(16, 0));
    finish(0);                             // P8
    finish(0);                             // R0 of the first copy
    finish(0);                             // R0 of the second
    submit({map(FlashOpKind::kRead, 12)}); // keeps the die busy
    read(0, 7);
    finish(1); // P20
    finish(1); // P16: nothing but the read holds the block now
    EXPECT_EQ(two_.started, (Started{"P20", "P8", "R0", "R0", "R12", "P16"}));
    finish(0);
    EXPECT_EQ(two_.started.back(), "R0");
    finish(0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(two_.started.back(), "E0");
    finish(0);
    EXPECT_EQ(two_.started.back(), "P0");
    finish(0);
    expect_idle();
}

// A copy of host data that are not in flash yet: their frame has them.
TEST_F(MovedPageTest, AMovedPageThatIsNotInFlashYetIsPendingAsHostData) {
    submit({program(8)});
    scheduler_->queues().submit({program(0)}, {42});
    submit(copy(0, 16));
    const OpGraph::Pending pending = scheduler_->queues().graph().pending_program(Ppn{16});
    EXPECT_TRUE(pending.found);
    EXPECT_TRUE(pending.host);
    EXPECT_EQ(pending.context, 42u);
    finish(0);
    finish(0); // page 0 is programmed: in flash there, and nowhere else
    EXPECT_FALSE(scheduler_->queues().graph().pending_program(Ppn{16}).found);
    read(16, 7);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "P0", "R0", "P16", "R0"}));
    finish(0);
    finish(1);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    expect_idle();
}

// A translation page that is written back is not what was read.
TEST_F(MovedPageTest, APageThatIsChangedOnItsWayIsReadWhereItGoes) {
    FlashOpList ops = copy(0, 16);
    ops[1].rewrites = true;
    submit(ops);
    read(16, 7);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"R0", "P16"}));
    finish(1);
    EXPECT_EQ(two_.started.back(), "R16");
    finish(1);
    expect_idle();
}

// What its look-up waits for may stand behind the erase of the source: until the look-up is done
// the read holds the page that it was sent to, and no other.
TEST_F(MovedPageTest, AReadBehindItsLookUpDoesNotHoldTheSourceBack) {
    FlashOpList ops = copy(0, 16);
    ops.push_back(erase(0));
    submit(ops);
    FlashOpList look_up{map(FlashOpKind::kProgram, 0)}; // behind the erase of its block
    scheduler_->queues().submit_read(Ppn{16}, Lpn{9}, 7, scheduler_->queues().submit(look_up, {}));
    finish(0);
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R0", "P16", "E0"}));
    finish(0);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"R0", "P16", "E0", "P0", "R16"}));
    finish(1);
    expect_idle();
}

TEST_F(MovedPageTest, AReadWhoseLookUpIsDoneReadsTheSource) {
    submit({program(20)}); // keeps the die busy that the page goes to
    submit(copy(0, 16));
    scheduler_->queues().submit_read(Ppn{16}, Lpn{9}, 7,
                                     scheduler_->queues().submit({map(FlashOpKind::kRead, 8)}, {}));
    submit({erase(16)}); // of the page that it is to be: decided later
    finish(0);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P20", "R0", "R8", "R0"}));
    finish(0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{7}));
    finish(1);
    finish(1);
    EXPECT_EQ(two_.started, (Started{"P20", "R0", "R8", "R0", "P16", "E16"}));
    finish(1);
    expect_idle();
}

// ---- pages superseded by the host
// ----------------------------------------------------------------

TEST_F(MovedPageTest, ABlockIsErasedWhenWhatSupersedesItsPagesIsProgrammed) {
    client_.hold_data = true;
    FlashOp newer = program(16);
    newer.supersedes = Ppn{0};
    submit({newer});
    submit({erase(0), program(0)});
    EXPECT_TRUE(two_.started.empty()); // the die is free, the new version is still on its way
    scheduler_->data_ready(client_.held.at(0), now_ps());
    EXPECT_EQ(two_.started, (Started{"P16"}));
    finish(1);
    EXPECT_EQ(two_.started, (Started{"P16", "E0"}));
    finish(0);
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held.at(1), now_ps());
    finish(0);
    expect_idle();
}

// The erase of block 0 makes room for the first version: it must not wait for the second.
TEST_F(MovedPageTest, AnEraseDoesNotWaitForWhatSupersedesAPageThatIsProgrammedAfterIt) {
    submit({program(8)}); // keeps the die busy
    FlashOp newer = program(16);
    newer.supersedes = Ppn{0};
    submit({erase(0), program(0)});
    submit({newer});
    submit({erase(0)}); // this one waits for it
    EXPECT_EQ(two_.started, (Started{"P8", "P16"}));
    finish(0);
    finish(0);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "P16", "E0", "P0"}));
    finish(1);
    EXPECT_EQ(two_.started, (Started{"P8", "P16", "E0", "P0", "E0"}));
    finish(0);
    expect_idle();
}

// It is done before the page that it supersedes is programmed.
TEST_F(MovedPageTest, ANewVersionMayOvertakeTheOlderOneOfAnotherDie) {
    submit({program(8), program(0)});
    FlashOp newer = program(16);
    newer.supersedes = Ppn{0};
    submit({newer});
    submit({erase(0)});
    finish(1);
    finish(0);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "P16", "P0", "E0"}));
    finish(0);
    expect_idle();
}

TEST_F(MovedPageTest, TheLoadGoesToTheDieThatReads) {
    DieLoad load(2);
    load.measure();
    scheduler_->queues().report_to(&load, now_ps);
    submit({program(20)});
    submit(copy(0, 16));
    EXPECT_EQ(load.pending(DieId{0}), 1u);
    EXPECT_EQ(load.pending(DieId{1}), 2u);
    read(16, 7);
    EXPECT_EQ(load.pending(DieId{0}), 2u);
    EXPECT_EQ(load.pending(DieId{1}), 2u);
    finish(0);
    finish(0);
    EXPECT_EQ(load.pending(DieId{0}), 0u);
    finish(1);
    finish(1);
    EXPECT_EQ(load.idle_dies(), 2u);
    expect_idle();
}

TEST_F(MovedPageTest, InOrderOfSubmissionTheReadOfTheSourceTakesItsTurn) {
    build(Discipline::kFifo);
    submit({program(8)});
    submit(copy(0, 16));
    submit({program(9)});
    read(16, 7);
    finish(0);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P8", "R0", "P16", "P9"}));
    finish(0);
    EXPECT_EQ(two_.started.back(), "R0");
    finish(0);
    finish(1);
    expect_idle();
}

} // namespace
} // namespace cavern
