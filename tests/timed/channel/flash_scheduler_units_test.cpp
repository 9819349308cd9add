// Mapping units that share a NAND page, pages written in part, and the page register.

#include "timed/channel/flash_scheduler.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::Started;

// Two units a NAND page: plane 0 has pages 0 to 31, plane 1 has 32 to 63.
TEST_F(FlashSchedulerTest, UnitsOfANandPageAreProgrammedTogether) {
    build_units(2);
    submit({program(0), program(1), program(2), program(3)});
    EXPECT_EQ(channel_.started, (Started{"P0+1"}));
    finish();
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(channel_.started.back(), "P2+3");
}

TEST_F(FlashSchedulerTest, ANandPageWaitsForItsLastUnit) {
    build_units(2);
    submit({program(0)});
    EXPECT_TRUE(channel_.started.empty());
    EXPECT_THROW((void)scheduler_->check_idle(), ModelError);
    submit({program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0+1"}));
}

TEST_F(FlashSchedulerTest, ANandPageWaitsForTheDataOfEachUnit) {
    build_units(2);
    client_.hold_data = true;
    submit({program(0), program(1)});
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[1], now_ps());
    EXPECT_TRUE(channel_.started.empty());
    scheduler_->data_ready(client_.held[0], now_ps());
    EXPECT_EQ(channel_.started, (Started{"P0+1"}));
}

TEST_F(FlashSchedulerTest, NandPagesOfSeveralUnitsGroupAcrossPlanes) {
    build_units(2);
    submit({program(0), program(32), program(33), program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0+1+32+33"}));
}

TEST_F(FlashSchedulerTest, AnEraseWaitsForEveryUnitThatWasCopiedOut) {
    build_units(2);
    FlashOpList ops = copy(8, 0);
    const FlashOpList second = copy(9, 1);
    ops.insert(ops.end(), second.begin(), second.end());
    ops[3].after = 2;
    ops.push_back(erase(8));
    submit(ops);
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "R9", "P0+1"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "E8");
}

TEST_F(FlashSchedulerTest, ACopyDoesNotJoinANandPageThatWasBegunBefore) {
    build_units(2);
    submit({program(0)});
    EXPECT_THROW(submit(copy(8, 1)), ModelError);
}

TEST_F(FlashSchedulerTest, ACopyMayJoinAPageOfTheHostInTheSameList) {
    build_units(2);
    FlashOpList ops{program(0)};
    for (FlashOp op : copy(8, 1)) {
        op.after += op.after == FlashOp::kNone ? 0 : 1;
        ops.push_back(op);
    }
    submit(ops);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "P0+1"}));
}

// ---- pages written in part ----------------------------------------------------------------------

FlashOpList part_of(Ppn old, Ppn place) {
    FlashOpList ops{{FlashOpKind::kRead, Origin::kRmw, old},
                    {FlashOpKind::kProgram, Origin::kHost, place, kNoLpn, 0}};
    ops[1].merges = true;
    ops[1].supersedes = old;
    return ops;
}

TEST_F(FlashSchedulerTest, AProgramThatMergesWaitsForTheRestOfThePage) {
    client_.hold_copies = true;
    submit(part_of(Ppn{4}, Ppn{0}));
    EXPECT_EQ(channel_.started, (Started{"R4"}));
    finish();
    EXPECT_TRUE(client_.fetched.empty()); // the frame is not whole before that is stored
    scheduler_->data_stored(client_.held.front(), now_ps());
    EXPECT_EQ(client_.fetched, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(channel_.started, (Started{"R4", "P0"}));
}

// Its frame has only a part of it.
TEST_F(FlashSchedulerTest, APageThatIsBeingMergedIsNotReadFromItsFrame) {
    submit(part_of(Ppn{4}, Ppn{0}));
    EXPECT_TRUE(scheduler_->queues().graph().pending_program(Ppn{0}).found);
    EXPECT_FALSE(scheduler_->queues().graph().pending_program(Ppn{0}).host);
    scheduler_->queues().submit_read(Ppn{0}, kNoLpn, 5);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R4", "P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R4", "P0", "R0"}));
}

// ---- page register ------------------------------------------------------------------------------

TEST_F(FlashSchedulerTest, ReadsOfOneNandPageTakeTheRestFromThePageRegister) {
    build_units(2, true);
    for (const std::uint32_t page : {4u, 5u, 6u, 4u}) {
        scheduler_->queues().submit_read(Ppn{page}, kNoLpn, page, kNoOp, 0, 512);
    }
    EXPECT_EQ(channel_.command(0).data_bytes[0], 512u);
    for (int i = 0; i < 4; ++i) {
        finish();
    }
    EXPECT_EQ(channel_.started, (Started{"R4", "C5", "R6", "R4"}));
}

TEST_F(FlashSchedulerTest, AProgramTakesThePageRegister) {
    build_units(1, true);
    scheduler_->queues().submit_read(Ppn{4}, kNoLpn, 0);
    finish();
    submit({program(0)});
    finish();
    scheduler_->queues().submit_read(Ppn{4}, kNoLpn, 0);
    finish();
    scheduler_->queues().submit_read(Ppn{4}, kNoLpn, 0);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R4", "P0", "R4", "C4"}));
    EXPECT_EQ(channel_.command(0).data_bytes[0], geometry_.page_bytes);
}

TEST_F(FlashSchedulerTest, WithoutColumnChangesEveryReadIsOfTheArrayAndOfAll) {
    scheduler_->queues().submit_read(Ppn{4}, kNoLpn, 0, kNoOp, 0, 512);
    EXPECT_EQ(channel_.command(0).data_bytes[0], geometry_.page_bytes);
    finish();
    scheduler_->queues().submit_read(Ppn{4}, kNoLpn, 0, kNoOp, 0, 512);
    EXPECT_EQ(channel_.started, (Started{"R4", "R4"}));
}

} // namespace
} // namespace cavern
