// The lives of a page between host, frame and die, without a drive around them.

#include "timed/buffer/page_flow.h"

#include <gtest/gtest.h>

#include "tests/timed/buffer/page_flow_fixture.h"

namespace cavern::testing {
namespace {

using Done = std::vector<std::uint32_t>;

class PageFlowTest : public ::testing::Test {
  protected:
    static constexpr FrameId kA{0};
    static constexpr FrameId kB{1};
    /// Pages 10 and 11 are resident and written.
    void fill() {
        bench_.write(0, 10, false, kA);
        bench_.write(0, 11, false, kB);
        ASSERT_EQ(bench_.frames.free_frames(), 0u);
        bench_.done.clear();
        bench_.mover.moves.clear();
        bench_.link_bytes = 0;
    }
    void expect_idle() {
        EXPECT_EQ(bench_.pages.tasks_in_use(), 0u);
        EXPECT_EQ(bench_.programs.outstanding(), 0u);
        EXPECT_GT(bench_.scheduler->check_idle(), 0u);
        EXPECT_TRUE(bench_.mover.open.empty());
    }
    PageFlowBench bench_;
};

// ---- writes -------------------------------------------------------------------------------------

TEST_F(PageFlowTest, AWriteGoesOverTheLinkIntoItsFrame) {
    bench_.mover.link_time = 100;
    bench_.mover.memory_time = 20;
    bench_.write(7, 10, false, kA);
    EXPECT_EQ(bench_.mover.moves, (Texts{"link < 20480+2048 after 0"}));
    pass(100);
    EXPECT_EQ(bench_.mover.moves.back(), "mem < 0+2048");
    pass(19);
    EXPECT_TRUE(bench_.done.empty());
    pass(1);
    EXPECT_EQ(bench_.done, (Done{7}));
    EXPECT_EQ(bench_.pages.statistics().stall, 0u);
    expect_idle();
}

TEST_F(PageFlowTest, BytesOfACommandAreCountedAlongTheLink) {
    bench_.write(7, 10, false, kA);
    bench_.write(7, 11, false, kB);
    EXPECT_EQ(bench_.mover.moves[0], "link < 20480+2048 after 0");
    EXPECT_EQ(bench_.mover.moves[2], "link < 22528+2048 after 2048");
}

TEST_F(PageFlowTest, AnInsertWaitsForTheFrameOfItsVictim) {
    fill();
    bench_.leaves(10, 0, kA);
    bench_.write(7, 12, false, kA);
    EXPECT_EQ(bench_.mover.moves, (Texts{"mem > 0+2048"})); // data of the program, no more
    EXPECT_EQ(bench_.channel.started, (Started{"P0"}));
    pass(500);
    EXPECT_TRUE(bench_.done.empty());
    bench_.finish_flash();
    EXPECT_EQ(bench_.done, (Done{7}));
    EXPECT_EQ(bench_.last.frame_wait, 500u);
    EXPECT_EQ(bench_.pages.statistics().stall, 500u);
    expect_idle();
}

// The second victim's frame is free; the page that came first has none yet.
TEST_F(PageFlowTest, WhereABatchIsAwaitedOneProgramIsNotEnough) {
    PageFlowBench bench({true, false});
    bench.write(0, 10, false, kA);
    bench.write(0, 11, false, kB);
    bench.done.clear();
    bench.leaves(10, 0, kA);
    bench.leaves(11, 1, kB);
    bench.write(7, 12, false, kA);
    bench.finish_flash();
    EXPECT_TRUE(bench.done.empty());
    bench.finish_flash();
    EXPECT_EQ(bench.done, (Done{7}));
}

TEST_F(PageFlowTest, AWriteThroughIsDoneWhenItIsInFlash) {
    bench_.leaves(12, 0, kNoFrame);
    bench_.write(7, 12, false, kNoFrame);
    EXPECT_EQ(bench_.mover.moves,
              (Texts{"link < 24576+2048 after 0", "mem < 0+2048", "mem > 0+2048"}));
    EXPECT_EQ(bench_.channel.started, (Started{"P0"}));
    pass(300);
    EXPECT_TRUE(bench_.done.empty());
    bench_.finish_flash();
    EXPECT_EQ(bench_.done, (Done{7}));
    EXPECT_EQ(bench_.last.flash, 300u);
    EXPECT_EQ(bench_.frames.free_frames(), 2u);
    expect_idle();
}

// Its program was submitted before, and waits for what is on its way into the frame.
TEST_F(PageFlowTest, AWriteThroughThatHitsTakesThePageAlong) {
    fill();
    bench_.mover.link_time = 100;
    bench_.leaves(10, 0, kA);
    bench_.write(7, 10, true, kA);
    EXPECT_TRUE(bench_.channel.started.empty());
    pass(100);
    EXPECT_EQ(bench_.channel.started, (Started{"P0"}));
    EXPECT_TRUE(bench_.done.empty());
    bench_.finish_flash();
    EXPECT_EQ(bench_.done, (Done{7}));
    EXPECT_EQ(bench_.frames.free_frames(), 1u);
    expect_idle();
}

// ---- reads --------------------------------------------------------------------------------------

TEST_F(PageFlowTest, AReadOfAPageOnItsWayIntoItsFrameWaitsForIt) {
    bench_.mover.link_time = 100;
    bench_.write(1, 10, false, kA);
    bench_.read(2, 10, true, kA, kNoPpn);
    EXPECT_EQ(bench_.mover.moves.size(), 1u);
    pass(100);
    EXPECT_EQ(bench_.done, (Done{1}));
    EXPECT_EQ(bench_.mover.moves, (Texts{"link < 20480+2048 after 0", "mem < 0+2048",
                                         "mem > 0+2048", "link > 20480+2048 after 2048"}));
    pass(100);
    EXPECT_EQ(bench_.done, (Done{1, 2}));
    expect_idle();
}

TEST_F(PageFlowTest, AReadDoesNotWaitForWritesDecidedAfterIt) {
    bench_.mover.link_time = 100;
    bench_.write(1, 10, false, kA);
    pass(50);
    bench_.read(2, 10, true, kA, kNoPpn);
    bench_.write(3, 10, true, kA);
    pass(50); // the first write has arrived
    EXPECT_EQ(bench_.done, (Done{1}));
    EXPECT_EQ(bench_.mover.moves.back(), "link > 20480+2048 after 4096");
    pass(50);
    EXPECT_EQ(bench_.done, (Done{1, 3}));
    pass(50);
    EXPECT_EQ(bench_.done, (Done{1, 3, 2}));
    expect_idle();
}

// The link brings the second write first. Who was decided before it may be served with it; who was
// decided after the first waits for that, however many have arrived.
TEST_F(PageFlowTest, AReadWaitsForAWriteBeforeItThatALaterOneOvertakes) {
    bench_.mover.link_time = kNever;
    bench_.write(1, 10, false, kA);
    bench_.read(2, 10, true, kA, kNoPpn);
    bench_.write(3, 10, true, kA);
    bench_.read(4, 10, true, kA, kNoPpn);
    bench_.write(5, 10, true, kA);
    const std::size_t before = bench_.mover.moves.size();
    bench_.mover.end(1); // of command 3
    EXPECT_EQ(bench_.done, (Done{3}));
    EXPECT_EQ(bench_.mover.moves.size(), before + 1); // its own
    bench_.mover.end(0); // of command 1: both reads have all that was decided before them
    EXPECT_EQ(bench_.done, (Done{3, 1}));
    ASSERT_EQ(bench_.mover.open.size(), 3u);
    bench_.mover.end(1);
    bench_.mover.end(1);
    EXPECT_EQ(bench_.done, (Done{3, 1, 2, 4}));
    bench_.mover.end(0);
    EXPECT_EQ(bench_.done, (Done{3, 1, 2, 4, 5}));
    expect_idle();
}

TEST_F(PageFlowTest, AReadMissPassesThroughStaging) {
    bench_.read(2, 10, false, kNoFrame, Ppn{5});
    EXPECT_EQ(bench_.channel.started, (Started{"R5"}));
    EXPECT_TRUE(bench_.mover.moves.empty());
    pass(70);
    bench_.finish_flash();
    EXPECT_EQ(bench_.mover.moves,
              (Texts{"mem < 2+2048", "mem > 2+2048", "link > 20480+2048 after 0"}));
    EXPECT_EQ(bench_.done, (Done{2}));
    EXPECT_EQ(bench_.last.flash, 70u);
    expect_idle();
}

TEST_F(PageFlowTest, APageNeverWrittenGoesOverTheLinkAlone) {
    bench_.read(2, 10, false, kNoFrame, kNoPpn);
    EXPECT_EQ(bench_.mover.moves, (Texts{"link > 20480+2048 after 0"}));
    EXPECT_EQ(bench_.pages.statistics().zero_reads, 1u);
    EXPECT_EQ(bench_.done, (Done{2}));
    expect_idle();
}

TEST_F(PageFlowTest, APageBeingProgrammedIsReadFromItsFrame) {
    fill();
    bench_.leaves(10, 0, kA);
    bench_.write(1, 12, false, kA);
    bench_.mover.moves.clear();
    bench_.mover.memory_time = 30;
    bench_.read(2, 10, false, kNoFrame, Ppn{0});
    EXPECT_EQ(bench_.mover.moves, (Texts{"mem > 0+2048"}));
    EXPECT_EQ(bench_.pages.statistics().in_flight_read_hits, 1u);
    bench_.finish_flash(); // the frame is still being read
    EXPECT_EQ(bench_.frames.free_frames(), 0u);
    EXPECT_EQ(bench_.mover.moves.size(), 1u);
    pass(60);
    EXPECT_EQ(bench_.done, (Done{2, 1}));
    expect_idle();
}

TEST_F(PageFlowTest, AReadWaitsForItsLookUpAndForNothingElse) {
    FlashOp map;
    map.page = Ppn{9};
    map.origin = Origin::kMapping;
    bench_.ops.push_back(map);
    bench_.read(2, 10, false, kNoFrame, Ppn{5}, true);
    EXPECT_EQ(bench_.channel.started, (Started{"R9"}));
    bench_.finish_flash();
    EXPECT_EQ(bench_.channel.started, (Started{"R9", "R5"}));
    bench_.finish_flash();
    EXPECT_EQ(bench_.done, (Done{2}));
    expect_idle();
}

// ---- reads that stay ----------------------------------------------------------------------------

TEST_F(PageFlowTest, APageReadIntoTheBufferIsServedFromItsFrame) {
    bench_.read(2, 10, false, kA, Ppn{5});
    bench_.finish_flash();
    EXPECT_EQ(bench_.mover.moves,
              (Texts{"mem < 0+2048", "mem > 0+2048", "link > 20480+2048 after 0"}));
    EXPECT_EQ(bench_.done, (Done{2}));
    EXPECT_EQ(bench_.frames.free_frames(), 1u); // it stays
    expect_idle();
}

// The write hits the page before it has come; its data arrive first.
TEST_F(PageFlowTest, AKeptReadDoesNotWaitForAWriteDecidedAfterIt) {
    bench_.mover.link_time = kNever;
    bench_.read(2, 10, false, kA, Ppn{5});
    bench_.write(3, 10, true, kA);
    bench_.read(4, 10, true, kA, kNoPpn); // needs both
    bench_.finish_flash();
    EXPECT_EQ(bench_.mover.open.size(), 2u); // data of the write, and the page to the host
    bench_.mover.end(1);
    EXPECT_EQ(bench_.done, (Done{2}));
    bench_.mover.end(0);
    EXPECT_EQ(bench_.done, (Done{2, 3}));
    bench_.mover.end(0);
    EXPECT_EQ(bench_.done, (Done{2, 3, 4}));
    expect_idle();
}

TEST_F(PageFlowTest, ItsDataWaitsInTheControllerUntilThereIsAFrame) {
    fill();
    bench_.leaves(10, 0, kA);
    bench_.read(2, 12, false, kA, Ppn{5});
    EXPECT_EQ(bench_.channel.started, (Started{"P0"}));
    bench_.mover.moves.clear();
    bench_.finish_flash();
    EXPECT_EQ(bench_.channel.started.back(), "R5");
    EXPECT_TRUE(bench_.mover.moves.empty()); // it has a frame and awaits the die
    bench_.finish_flash();
    EXPECT_EQ(bench_.mover.moves.front(), "mem < 0+2048");
    EXPECT_EQ(bench_.done, (Done{2}));
    expect_idle();
}

TEST_F(PageFlowTest, APageReturnsFromTheFrameThatItHasNotLeftYet) {
    fill();
    bench_.leaves(10, 0, kA);
    bench_.write(1, 12, false, kA);
    bench_.leaves(11, 1, kB);
    bench_.mover.moves.clear();
    bench_.read(2, 10, false, kB, Ppn{0});
    // Data of the program that is next, and the page out of the frame that P0 writes from.
    EXPECT_EQ(bench_.mover.moves, (Texts{"mem > 1+2048", "mem > 0+2048"}));
    EXPECT_EQ(bench_.pages.statistics().in_flight_read_hits, 1u);
    bench_.finish_flash();
    EXPECT_EQ(bench_.done, (Done{1}));
    bench_.finish_flash();
    EXPECT_EQ(bench_.done, (Done{1, 2}));
    EXPECT_EQ(bench_.channel.started, (Started{"P0", "P1"})); // no read of the die
    expect_idle();
}

// ---- who is told --------------------------------------------------------------------------------

TEST_F(PageFlowTest, ATransferWhoseEndNobodyKnewGoesOnWhenItIsTold) {
    bench_.mover.link_time = bench_.mover.memory_time = kNever;
    bench_.write(7, 10, false, kA);
    EXPECT_EQ(bench_.mover.open.size(), 1u);
    bench_.mover.end_oldest();
    EXPECT_EQ(bench_.mover.moves.back(), "mem < 0+2048");
    EXPECT_TRUE(bench_.done.empty());
    bench_.mover.end_oldest();
    EXPECT_EQ(bench_.done, (Done{7}));
    expect_idle();
}

TEST_F(PageFlowTest, CommandsInTurnHearOfFramesThatAreGranted) {
    bench_.write(7, 10, false, kA);
    EXPECT_EQ(bench_.granted, 0);
    PageFlowBench bench({false, true});
    bench.write(7, 10, false, kA);
    EXPECT_GT(bench.granted, 0);
}

// Page 12 is trimmed while it waits for its frame. Nothing keeps its record once it is filled, and
// the command that comes next takes the record's number before the call that filled it is over.
TEST_F(PageFlowTest, ACommandThatComesWithAFrameWaitsForItsOwn) {
    PageFlowBench bench({true, true});
    bench.write(0, 10, false, kA);
    bench.write(0, 11, false, kB);
    bench.leaves(10, 0, kA);
    bench.write(7, 12, false, kA);
    bench.frames.drop(kA);
    bench.done.clear();
    bench.on_granted = [&bench] {
        bench.on_granted = [] {};
        bench.leaves(11, 1, kB);
        bench.write(8, 13, false, kB);
    };
    bench.finish_flash();
    EXPECT_EQ(bench.done, (Done{7}));
    bench.finish_flash();
    EXPECT_EQ(bench.done, (Done{7, 8}));
    EXPECT_EQ(bench.programs.outstanding(), 0u);
}

} // namespace
} // namespace cavern::testing
