// Word lines of which all pages are programmed by one command.

#include "timed/channel/flash_scheduler.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::Started;

/// Blocks of two word lines of two pages: plane 0 has pages 0 to 15, plane 1 has 16 to 31.
class FlashSchedulerOneShotTest : public FlashSchedulerTest {
  protected:
    FlashSchedulerOneShotTest() { geometry_.word_line_pages = 2; }
    static FlashOpList copies(std::uint32_t from, std::uint32_t to) {
        FlashOpList ops = copy(from, to);
        const FlashOpList second = copy(from + 1, to + 1);
        ops.insert(ops.end(), second.begin(), second.end());
        ops[3].after = 2;
        return ops;
    }
};

TEST_F(FlashSchedulerOneShotTest, ThePagesOfAWordLineAreProgrammedTogether) {
    submit({program(0), program(1), program(2), program(3)});
    EXPECT_EQ(channel_.started, (Started{"P0+1"}));
    EXPECT_EQ(channel_.command(0).nand_pages, 2u);
    finish();
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(channel_.started.back(), "P2+3");
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(FlashSchedulerOneShotTest, AWordLineWaitsForItsLastPage) {
    submit({program(0)});
    EXPECT_TRUE(channel_.started.empty());
    EXPECT_THROW((void)scheduler_->check_idle(), ModelError);
    submit({program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0+1"}));
}

TEST_F(FlashSchedulerOneShotTest, AWordLineWaitsForTheDataOfEachPage) {
    client_.hold_data = true;
    submit({program(0), program(1)});
    ASSERT_EQ(client_.held.size(), 2u);
    scheduler_->data_ready(client_.held[1], now_ps());
    EXPECT_TRUE(channel_.started.empty());
    scheduler_->data_ready(client_.held[0], now_ps());
    EXPECT_EQ(channel_.started, (Started{"P0+1"}));
}

TEST_F(FlashSchedulerOneShotTest, WordLinesOfSeveralPlanesAreOneOperation) {
    submit({program(0), program(16), program(17), program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0+1+16+17"}));
}

TEST_F(FlashSchedulerOneShotTest, MappingUnitsAndPagesOfAWordLineAreProgrammedTogether) {
    build_units(2);
    submit({program(0), program(1), program(2)});
    EXPECT_TRUE(channel_.started.empty());
    submit({program(3)});
    EXPECT_EQ(channel_.started, (Started{"P0+1+2+3"}));
    EXPECT_EQ(channel_.command(0).nand_pages, 2u);
}

TEST_F(FlashSchedulerOneShotTest, APageInSlcModeGoesByItself) {
    geometry_.slc_blocks = 1;
    geometry_.slc_pages = 2;
    build(Discipline::kReadFirst);
    submit({program(0), program(4), program(5)});
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P4+5"}));
}

// The frame has the page until the whole word line is in flash.
TEST_F(FlashSchedulerOneShotTest, APageThatWaitsForItsWordLineIsReadFromItsFrame) {
    submit({program(0)});
    EXPECT_TRUE(scheduler_->queues().graph().pending_program(Ppn{0}).host);
    submit({program(1)});
    EXPECT_TRUE(scheduler_->queues().graph().pending_program(Ppn{0}).host);
    finish();
    EXPECT_FALSE(scheduler_->queues().graph().pending_program(Ppn{0}).found);
}

TEST_F(FlashSchedulerOneShotTest, TheCopiesOfAWordLineHaveTheirPagesOfTheSdramTogether) {
    copy_pages_ = 2;
    build(Discipline::kReadFirst, false);
    FlashOpList ops = copies(8, 0);
    for (FlashOp op : copies(10, 2)) {
        op.after += op.after == FlashOp::kNone ? 0 : 4;
        ops.push_back(op);
    }
    submit(ops);
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "R9", "P0+1"}));
    finish(); // its pages of the SDRAM went to the next ones
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "R9", "P0+1", "R10", "R11", "P2+3"}));
}

TEST_F(FlashSchedulerOneShotTest, FewerPagesForCopiesThanAWordLineHasAreRefused) {
    copy_pages_ = 1;
    EXPECT_THROW(build(Discipline::kReadFirst), ModelError);
}

} // namespace
} // namespace cavern
