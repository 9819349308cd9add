// Pages of the SDRAM through which copies pass: when a copy waits for one, and that nobody waits in
// a circle.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::Started;

FlashOpList operator+(FlashOpList list, const FlashOpList& more) {
    const auto before = static_cast<std::int32_t>(list.size());
    for (FlashOp op : more) {
        op.after += op.after == FlashOp::kNone ? 0 : before;
        list.push_back(op);
    }
    return list;
}

class CopyPagesTest : public FlashSchedulerTest {
  protected:
    void build_with(std::uint32_t copy_pages, Discipline discipline = Discipline::kReadFirst) {
        copy_pages_ = copy_pages;
        build(discipline, false);
    }
    /// Ends what runs until nothing does.
    void finish_all() {
        for (std::size_t ended = 0; ended < channel_.started.size(); ++ended) {
            finish();
        }
    }
    void expect_idle() { EXPECT_GT(scheduler_->check_idle(), 0u); }
};

TEST_F(CopyPagesTest, AReadForACopyWaitsUntilAProgramHasTakenItsPage) {
    build_with(1);
    submit(copy(0, 4) + copy(1, 5));
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4"})); // though reads go first
    finish();
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "R1", "P5"}));
    expect_idle();
}

TEST_F(CopyPagesTest, WithPagesEnoughReadsGoFirst) {
    build_with(2);
    submit(copy(0, 4) + copy(1, 5) + copy(2, 6));
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"R0", "R1", "P4", "R2", "P5", "P6"}));
    expect_idle();
}

TEST_F(CopyPagesTest, ACopyIsFetchedFromWhereItWasStored) {
    build_with(2);
    submit(copy(0, 4) + copy(1, 5) + copy(2, 6));
    finish_all();
    EXPECT_EQ(client_.stored, (std::vector<std::uint32_t>{0, 1, 0}));
    EXPECT_EQ(client_.copies_fetched, client_.stored);
}

TEST_F(CopyPagesTest, AReadOfTheHostNeedsNone) {
    build_with(1);
    submit(copy(0, 4) + copy(1, 5));
    scheduler_->queues().submit_read(Ppn{8}, Lpn{9}, 7);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R8"}));
    finish_all();
    expect_idle();
}

// The list names the reads in another order than the programs.
TEST_F(CopyPagesTest, PagesAreGivenInTheOrderOfThePrograms) {
    for (const Discipline discipline : {Discipline::kReadFirst, Discipline::kFifo}) {
        channel_.started.clear();
        build_with(1, discipline);
        FlashOpList ops{op(FlashOpKind::kRead, 8, Origin::kGc),
                        op(FlashOpKind::kRead, 9, Origin::kGc),
                        FlashOp::copy(Origin::kGc, Ppn{9}, Ppn{0}, kNoLpn, 1),
                        FlashOp::copy(Origin::kGc, Ppn{8}, Ppn{1}, kNoLpn, 0)};
        submit(ops);
        finish_all();
        EXPECT_EQ(channel_.started, (Started{"R9", "P0", "R8", "P1"}));
        expect_idle();
    }
}

TEST_F(CopyPagesTest, ACopyOfALaterListWaitsItsTurn) {
    build_with(1);
    submit(copy(0, 4));
    submit(copy(1, 5));
    submit(copy(2, 6));
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"R0", "P4", "R1", "P5", "R2", "P6"}));
    expect_idle();
}

// Two NAND pages of two units, whose copies are decided in turns.
TEST_F(CopyPagesTest, TheUnitsOfANandPageGetTheirPagesTogether) {
    copy_pages_ = 2;
    build_units(2);
    submit(copy(8, 0) + copy(9, 32) + copy(10, 1) + copy(11, 33));
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"R8", "R10", "P0+1", "R9", "R11", "P32+33"}));
    expect_idle();
}

// The second copy of a page would be sent back to a block that waits to be erased, and for whose
// erase the copy waits that has the only page.
TEST_F(CopyPagesTest, ACopyThatWaitsHoldsNoBlockWhereItWouldBeSentBackTo) {
    build_with(1);
    submit({program(8)});
    submit(copy(0, 4) + FlashOpList{erase(0)} + copy(12, 0) + copy(4, 9));
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"P8", "R0", "P4", "R12", "E0", "P0", "R4", "P9"}));
    expect_idle();
}

// Whoever waits for the read besides its program, and began to do so later, is not fed.
TEST_F(CopyPagesTest, AReadFeedsItsProgramWhoeverElseWaitsForIt) {
    build_with(1);
    FlashOpList ops = copy(8, 0);
    ops.push_back(op(FlashOpKind::kRead, 12, Origin::kMapping));
    ops.back().after = 0;
    submit(ops);
    finish_all();
    EXPECT_EQ(client_.stored, (std::vector<std::uint32_t>{0}));
    EXPECT_TRUE(client_.completed.empty());
    EXPECT_EQ(client_.copies_fetched, client_.stored);
    expect_idle();
}

// A command written through leaves a NAND page open between its pages, and collection runs there.
TEST_F(CopyPagesTest, ANandPageOfTheHostMayLackUnitsMeanwhile) {
    copy_pages_ = 2;
    build_units(2);
    submit({program(0)});
    submit(copy(8, 32) + copy(9, 33));
    submit({program(1)});
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"R8", "R9", "P0+1+32+33"}));
    expect_idle();
}

TEST_F(CopyPagesTest, TheRestOfAPageWrittenInPartNeedsNone) {
    build_with(1);
    submit(copy(8, 4));
    FlashOpList part{op(FlashOpKind::kRead, 9, Origin::kRmw), program(0)};
    part[1].after = 0;
    part[1].merges = true;
    part[1].supersedes = Ppn{9};
    submit(part);
    finish_all();
    EXPECT_EQ(channel_.started, (Started{"R8", "R9", "P4", "P0"}));
    EXPECT_EQ(client_.completed, (std::vector<std::uint32_t>{0}));
    expect_idle();
}

TEST_F(CopyPagesTest, FewerThanTheUnitsOfANandPageAreRefused) {
    copy_pages_ = 1;
    EXPECT_THROW(build_units(2), ModelError);
}

} // namespace
} // namespace cavern
