// Evicted pages on their way into flash.

#include "timed/buffer/programs.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/timed/buffer/page_flow_fixture.h"

namespace cavern::testing {
namespace {

class ProgramsTest : public ::testing::Test {
  protected:
    static constexpr FrameId kA{0};
    static constexpr FrameId kB{1};
    void SetUp() override {
        bench_.write(0, 10, false, kA);
        bench_.write(0, 11, false, kB);
        bench_.mover.moves.clear();
    }
    Programs::CarriedOut carry_out(RecordId through = kNil<RecordId>) {
        const Programs::CarriedOut result = bench_.programs.carry_out(bench_.batch(), through);
        bench_.clear();
        return result;
    }
    PageFlowBench bench_;
};

TEST_F(ProgramsTest, AnEmptyBatchDoesNothing) {
    const Programs::CarriedOut result = carry_out();
    EXPECT_EQ(result.batch, kNil<BatchId>);
    EXPECT_EQ(result.last, kNoOp);
    EXPECT_EQ(bench_.programs.evictions(), 0u);
}

TEST_F(ProgramsTest, AVictimIsInFlightUntilItsProgramHasEnded) {
    const RecordId a = bench_.frames.record_of(kA);
    bench_.leaves(10, 0, kA);
    bench_.leaves(11, 1, kB);
    const Programs::CarriedOut result = carry_out();
    EXPECT_NE(result.batch, kNil<BatchId>);
    EXPECT_NE(result.last, kNoOp);
    EXPECT_TRUE(bench_.frames[a].in_flight);
    EXPECT_FALSE(bench_.frames[a].resident);
    EXPECT_EQ(bench_.frames.units_in_flight(), 2u);
    EXPECT_EQ(bench_.programs.outstanding(), 2u);
    EXPECT_EQ(bench_.programs.evictions(), 2u);
    EXPECT_EQ(bench_.frames.free_frames(), 0u);
    bench_.finish_flash();
    EXPECT_EQ(bench_.frames.free_frames(), 1u);
    EXPECT_EQ(bench_.frames.units_in_flight(), 2u); // of the batch, which has not ended
    bench_.finish_flash();
    EXPECT_EQ(bench_.frames.free_frames(), 2u);
    EXPECT_EQ(bench_.frames.units_in_flight(), 0u);
    EXPECT_EQ(bench_.programmed, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(bench_.programs.outstanding(), 0u);
}

TEST_F(ProgramsTest, ACleanPageLeavesItsFrameAtOnce) {
    bench_.dropped.push_back(kB);
    EXPECT_EQ(carry_out().batch, kNil<BatchId>);
    EXPECT_EQ(bench_.frames.free_frames(), 1u);
    EXPECT_EQ(bench_.programs.outstanding(), 0u);
    EXPECT_TRUE(bench_.channel.started.empty());
}

TEST_F(ProgramsTest, PaddingHasNoFrameAndIsNotWaitedFor) {
    bench_.leaves(10, 0, kA);
    bench_.victims.push_back({Lpn{9}, kNoFrame, true});
    FlashOp padding;
    padding.kind = FlashOpKind::kProgram;
    padding.origin = Origin::kPadding;
    padding.page = Ppn{1};
    bench_.ops.push_back(padding);
    carry_out();
    EXPECT_EQ(bench_.programs.outstanding(), 1u);
    bench_.finish_flash();
    bench_.finish_flash();
    EXPECT_EQ(bench_.channel.started, (Started{"P0", "P1"}));
    EXPECT_EQ(bench_.programmed.size(), 1u);
    EXPECT_EQ(bench_.frames.units_in_flight(), 0u); // the batch has ended without it
}

TEST_F(ProgramsTest, WhatADecisionBringsIsCountedByItsKind) {
    bench_.programs.count_work(true);
    const auto add = [this](FlashOpKind kind, Origin origin, std::uint32_t page) {
        FlashOp op;
        op.kind = kind;
        op.origin = origin;
        op.page = Ppn{page};
        bench_.ops.push_back(op);
    };
    bench_.leaves(10, 0, kA);
    bench_.dropped.push_back(kB);
    add(FlashOpKind::kRead, Origin::kMapping, 4);
    add(FlashOpKind::kProgram, Origin::kMapping, 1);
    add(FlashOpKind::kErase, Origin::kMapping, 8);
    add(FlashOpKind::kErase, Origin::kGc, 12);
    add(FlashOpKind::kProgram, Origin::kPadding, 2); // of a block that is evicted whole
    bench_.victims.push_back({Lpn{9}, kNoFrame, true});
    carry_out();
    const DecisionWork work = bench_.programs.take_work();
    EXPECT_EQ(work.evictions, 2u);   // padding is none
    EXPECT_EQ(work.allocations, 3u); // programs
    EXPECT_EQ(work.map_operations, 2u);
    EXPECT_EQ(work.collected, 2u); // erases
    EXPECT_EQ(bench_.programs.take_work().evictions, 0u);
}

TEST_F(ProgramsTest, AVictimThatIsNotInItsFrameStopsTheRun) {
    bench_.leaves(99, 0, kA);
    EXPECT_THROW(carry_out(), ModelError);
}

TEST_F(ProgramsTest, DataIsFetchedWhenNothingMoreIsOnItsWayIntoTheFrame) {
    const RecordId a = bench_.frames.record_of(kA);
    ++bench_.frames[a].inbound;
    bench_.leaves(10, 0, kA);
    carry_out();
    EXPECT_TRUE(bench_.mover.moves.empty());
    EXPECT_TRUE(bench_.channel.started.empty());
    --bench_.frames[a].inbound;
    bench_.mover.memory_time = 40;
    bench_.programs.data_complete(a);
    EXPECT_EQ(bench_.mover.moves, (Texts{"mem > 0+2048"}));
    bench_.programs.data_complete(a); // once
    EXPECT_EQ(bench_.mover.moves.size(), 1u);
    pass(39);
    EXPECT_TRUE(bench_.channel.started.empty());
    pass(1);
    EXPECT_EQ(bench_.channel.started, (Started{"P0"}));
}

TEST_F(ProgramsTest, DataAreComingOnceThePageHasAFrame) {
    EXPECT_TRUE(bench_.programs.data_is_coming(bench_.frames.record_of(kA)));
    EXPECT_FALSE(bench_.programs.data_is_coming(bench_.frames.create(Lpn{12})));
}

TEST_F(ProgramsTest, AMemoryThatDoesNotKnowWhenItEndsIsWaitedFor) {
    bench_.mover.memory_time = kNever;
    bench_.leaves(10, 0, kA);
    carry_out();
    pass(1000);
    EXPECT_TRUE(bench_.channel.started.empty());
    bench_.mover.end_oldest();
    EXPECT_EQ(bench_.channel.started, (Started{"P0"}));
}

TEST_F(ProgramsTest, ACopyPassesThroughStaging) {
    bench_.mover.memory_time = 10;
    FlashOp read;
    read.page = Ppn{4};
    read.origin = Origin::kGc;
    bench_.ops = {read, FlashOp::copy(Origin::kGc, Ppn{4}, Ppn{8}, kNoLpn, 0)};
    carry_out();
    bench_.finish_flash();
    ASSERT_EQ(bench_.mover.moves.size(), 1u);
    EXPECT_EQ(bench_.mover.moves[0].substr(0, 6), "mem < ");
    pass(10);
    ASSERT_EQ(bench_.mover.moves.size(), 2u);
    EXPECT_EQ(bench_.mover.moves[1].substr(0, 6), "mem > ");
    EXPECT_EQ(bench_.channel.started, (Started{"R4"}));
    pass(10);
    EXPECT_EQ(bench_.channel.started, (Started{"R4", "P8"}));
    bench_.finish_flash();
    EXPECT_GT(bench_.scheduler->check_idle(), 0u);
    EXPECT_EQ(bench_.programs.outstanding(), 0u);
}

TEST_F(ProgramsTest, APageWithoutAFrameIsTheOneGiven) {
    const RecordId record = bench_.frames.create(Lpn{12});
    bench_.frames[record].inbound = 1;
    bench_.leaves(10, 0, kA);
    bench_.leaves(12, 1, kNoFrame);
    carry_out(record);
    EXPECT_TRUE(bench_.frames[record].in_flight);
    EXPECT_EQ(bench_.frames[record].eviction, 1u);
}

} // namespace
} // namespace cavern::testing
