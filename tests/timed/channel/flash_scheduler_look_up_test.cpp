// Reads of the host behind reads of their translation pages.

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

/// Two dies of one plane on one channel: pages 0..15 and 16..31.
class LookUpTest : public FlashSchedulerTest {
  protected:
    void SetUp() override {
        geometry_.channels = 1;
        geometry_.ways = 2;
        geometry_.planes_per_die = 1;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        scheduler_ = std::make_unique<FlashScheduler>(
            geometry_, FlashScheduler::Params{Discipline::kReadFirst, true, false, 64}, client_,
            events_);
        scheduler_->queues().connect(ChannelId{0}, two_);
    }
    void finish(std::uint32_t die) { scheduler_->operation_finished(DieId{die}); }
    /// A look-up, and the read of the host that waits for it.
    void read_behind(const FlashOpList& look_up) {
        scheduler_->queues().submit_read(Ppn{3}, Lpn{9}, 77,
                                         scheduler_->queues().submit(look_up, {}));
    }
    static FlashOp map(FlashOpKind kind, std::uint32_t page) {
        return op(kind, page, Origin::kMapping);
    }
    ManualChannel two_{2};
};

TEST_F(LookUpTest, AReadOfTheHostWaitsForTheLastOperationOfItsLookUp) {
    FlashOpList ops{map(FlashOpKind::kRead, 16), map(FlashOpKind::kRead, 17)};
    ops[1].after = 0;
    read_behind(ops);
    EXPECT_EQ(two_.started, (Started{"R16"}));
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R16", "R17"})); // the other die is idle
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R16", "R17", "R3"}));
    EXPECT_TRUE(client_.read.empty());
    finish(0);
    EXPECT_EQ(client_.read, std::vector<std::uint32_t>{77});
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(LookUpTest, AReadWaitsForItsLookUpAndForTheProgramOfItsPage) {
    for (const bool program_first : {true, false}) {
        two_.started.clear();
        submit({op(FlashOpKind::kProgram, 3, Origin::kGc)});
        read_behind({map(FlashOpKind::kRead, 16)});
        EXPECT_EQ(two_.started, (Started{"P3", "R16"}));
        finish(program_first ? 0 : 1);
        EXPECT_EQ(two_.started.size(), 2u);
        finish(program_first ? 1 : 0);
        EXPECT_EQ(two_.started, (Started{"P3", "R16", "R3"}));
        finish(0);
        EXPECT_GT(scheduler_->check_idle(), 0u);
    }
}

// Also while the look-up is still under way: an erase decided later must not take the page.
TEST_F(LookUpTest, AnEraseWaitsForAReadThatWaitsForItsLookUp) {
    read_behind({map(FlashOpKind::kRead, 16)});
    submit({erase(0)});
    EXPECT_EQ(two_.started, (Started{"R16"}));
    finish(1);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"R16", "R3", "E0"}));
    finish(0);
    // The same where the page was being programmed when the read was decided.
    two_.started.clear();
    submit({op(FlashOpKind::kProgram, 3, Origin::kGc)});
    read_behind({map(FlashOpKind::kRead, 16)});
    submit({erase(0)});
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P3", "R16"}));
    finish(1);
    finish(0);
    EXPECT_EQ(two_.started, (Started{"P3", "R16", "R3", "E0"}));
    finish(0);
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(LookUpTest, TheReadsOfALookUpGoBeforeThoseOfCollection) {
    FlashOpList look_up{map(FlashOpKind::kRead, 5), map(FlashOpKind::kProgram, 17),
                        map(FlashOpKind::kRead, 6)};
    look_up[1].after = 0; // the page of the entry that leaves; the look-up is behind its read
    look_up[2].after = 0;
    for (const bool for_host : {true, false}) {
        two_.started.clear();
        submit({program(12)}); // keeps the die busy
        submit({op(FlashOpKind::kRead, 0, Origin::kGc), op(FlashOpKind::kRead, 1, Origin::kGc)});
        const OpId last = scheduler_->queues().submit(look_up, {}, for_host);
        if (for_host) {
            scheduler_->queues().submit_read(Ppn{3}, Lpn{9}, 77, last);
        }
        for (std::uint32_t operations = 0; operations < (for_host ? 6 : 5); ++operations) {
            finish(0);
        }
        finish(1);
        EXPECT_EQ(two_.started, for_host ? (Started{"P12", "R5", "P17", "R6", "R3", "R0", "R1"})
                                         : (Started{"P12", "R0", "R1", "R5", "P17", "R6"}));
        EXPECT_GT(scheduler_->check_idle(), 0u);
    }
}

TEST_F(LookUpTest, AProgramThatNamesAReadIsFetchedAndStartedBehindIt) {
    FlashOpList ops{map(FlashOpKind::kRead, 16), program(3)};
    ops[1].after = 0;
    submit(ops);
    EXPECT_EQ(two_.started, (Started{"R16"}));
    EXPECT_TRUE(client_.fetched.empty());
    finish(1);
    EXPECT_EQ(two_.started, (Started{"R16", "P3"}));
    finish(0);
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

} // namespace
} // namespace cavern
