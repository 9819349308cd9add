// When a program or erase makes room for reads of the host, and how long writes wait for reads.

#include "timed/channel/flash_scheduler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern {
namespace {

using testing::FlashSchedulerTest;
using testing::pass;
using testing::Started;

class SuspendTest : public FlashSchedulerTest {
  protected:
    SuspendTest() { suspend_ = {true, true, 4, 20 * kUs, 5 * kUs, 0, 0}; }
    void SetUp() override { build(Discipline::kReadFirst); }

    void latch(TimePs length) {
        channel_.latch(now_ps(), now_ps() + length);
        scheduler_->operation_latched(DieId{0});
    }
    void suspended() {
        channel_.put_aside();
        scheduler_->operation_suspended(DieId{0});
    }
    void read(std::uint32_t page) { scheduler_->queues().submit_read(Ppn{page}, kNoLpn, page); }
};

TEST_F(SuspendTest, AProgramMakesRoomForReadsOfTheHostAndGoesOnAfterThem) {
    submit({program(0), program(1)});
    latch(500 * kUs);
    read(8);
    read(9);
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
    suspended();
    EXPECT_EQ(channel_.started.back(), "R8");
    finish();
    EXPECT_EQ(channel_.started.back(), "R9");
    finish();
    EXPECT_EQ(channel_.started.back(), "resume");
    finish();
    EXPECT_EQ(channel_.started.back(), "P1");
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{8, 9}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(SuspendTest, OnlyReadsThatTheHostWaitsForSuspend) {
    submit({program(8)});
    latch(500 * kUs);
    submit(copy(0, 4)); // collection
    EXPECT_EQ(channel_.started, (Started{"P8"}));
    finish();
    finish();
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(SuspendTest, WhatThePartCannotSuspendIsNotSuspended) {
    for (const bool programs : {true, false}) {
        suspend_.programs = programs;
        suspend_.erases = !programs;
        build(Discipline::kReadFirst);
        channel_.started.clear();
        submit({program(0), erase(12)});
        latch(500 * kUs);
        read(8);
        EXPECT_EQ(channel_.started.back(), programs ? "suspend" : "P0");
        if (!programs) {
            finish(); // the program
            finish(); // the read
            EXPECT_EQ(channel_.started.back(), "E12");
            latch(3000 * kUs);
            read(9);
            EXPECT_EQ(channel_.started.back(), "suspend");
        }
    }
}

TEST_F(SuspendTest, InOrderOfSubmissionNothingIsSuspended) {
    build(Discipline::kFifo);
    submit({program(0)});
    latch(500 * kUs);
    read(8);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

TEST_F(SuspendTest, BeforeTheArrayWorksOnItNothingIsSuspended) {
    submit({program(0)});
    read(8);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    latch(500 * kUs);
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
}

TEST_F(SuspendTest, BeforeTheArrayGoesOnNothingIsSuspendedAgain) {
    submit({program(0)});
    latch(500 * kUs);
    read(8);
    suspended();
    finish();
    EXPECT_EQ(channel_.started.back(), "resume");
    read(9);
    EXPECT_EQ(channel_.started.back(), "resume");
    latch(400 * kUs);
    EXPECT_EQ(channel_.started.back(), "suspend");
}

TEST_F(SuspendTest, WhatEndsAboutAsSoonIsNotSuspended) {
    submit({program(0)});
    latch(25 * kUs); // t_suspend and t_resume
    read(8);
    EXPECT_EQ(channel_.started, (Started{"P0"}));

    build(Discipline::kReadFirst);
    channel_.started.clear();
    submit({program(0)});
    latch(25 * kUs + 1);
    read(8);
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
}

TEST_F(SuspendTest, TheArrayWorksForAWhileBetweenSuspensions) {
    suspend_.least_run = 100 * kUs;
    build(Discipline::kReadFirst);
    submit({program(0)});
    latch(500 * kUs);
    read(8);
    read(9);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    pass(100 * kUs - 1);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    pass(1);
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
    suspended();
    finish();
    finish();
    EXPECT_EQ(channel_.started.back(), "resume");
    latch(400 * kUs);
    read(10);
    EXPECT_EQ(channel_.started.back(), "resume");
    pass(100 * kUs);
    EXPECT_EQ(channel_.started.back(), "suspend");
}

TEST_F(SuspendTest, AnOperationIsSuspendedNoOftenerThanThePartAllows) {
    suspend_.limit = 2;
    build(Discipline::kReadFirst);
    submit({program(0)});
    for (std::uint32_t time = 0; time < 3; ++time) {
        latch(500 * kUs);
        read(8 + time);
        EXPECT_EQ(channel_.started.back(), time < 2 ? "suspend" : "resume");
        if (time < 2) {
            suspended();
            finish();
        }
    }
    finish();
    EXPECT_EQ(channel_.started.back(), "R10");
    // The next one counts anew.
    finish();
    submit({program(1)});
    latch(500 * kUs);
    read(11);
    EXPECT_EQ(channel_.started.back(), "suspend");
}

TEST_F(SuspendTest, ASuspensionThatCameTooLateLeavesNothingBehind) {
    submit({program(0), program(1)});
    latch(500 * kUs);
    read(8);
    EXPECT_EQ(channel_.started.back(), "suspend");
    finish(); // of the program, by then
    EXPECT_EQ(channel_.started.back(), "R8");
    finish();
    EXPECT_EQ(channel_.started.back(), "P1");
    latch(500 * kUs);
    read(9);
    EXPECT_EQ(channel_.started.back(), "suspend");
}

TEST_F(SuspendTest, AReadOfThePageThatIsBeingProgrammedWaitsForIt) {
    submit({program(0)});
    latch(500 * kUs);
    read(0);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    pass(500 * kUs);
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "R0"}));
}

// ---- beside the cache register ------------------------------------------------------------------

class SuspendCachedTest : public SuspendTest {
  protected:
    SuspendCachedTest() { cache_ = {true, true, 3 * kUs, 4 * kUs}; }
};

TEST_F(SuspendCachedTest, AProgramWithNothingBehindItMakesRoom) {
    submit({program(0), program(1)});
    EXPECT_EQ(channel_.command(0).what, NandCommand::kCacheProgram);
    latch(500 * kUs);
    read(8);
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
    scheduler_->cache_free(DieId{0}); // nothing follows now
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
    suspended();
    EXPECT_EQ(channel_.started.back(), "R8");
    EXPECT_FALSE(scheduler_->next_read(DieId{0}));
    finish();
    EXPECT_EQ(channel_.started.back(), "resume");
    latch(400 * kUs);
    scheduler_->cache_free(DieId{0});
    EXPECT_EQ(channel_.started.back(), "P1");
}

TEST_F(SuspendCachedTest, WhatHasComeInBehindGoesOnFirst) {
    submit({program(0), program(1)});
    latch(500 * kUs);
    scheduler_->cache_free(DieId{0});
    EXPECT_EQ(channel_.started, (Started{"P0", "behind", "P1"}));
    read(8);
    EXPECT_EQ(channel_.started.back(), "P1");
    latch(1000 * kUs);
    scheduler_->program_finished(DieId{0});
    EXPECT_EQ(channel_.started.back(), "suspend");
}

/// A read that comes while the cache register is free keeps it so.
TEST_F(SuspendCachedTest, ReadsComeBeforeWhatCouldFollow) {
    client_.hold_data = true;
    submit({program(0), program(1)});
    scheduler_->data_ready(client_.held[0], now_ps());
    latch(500 * kUs);
    scheduler_->cache_free(DieId{0});
    read(8);
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
    scheduler_->data_ready(client_.held[1], now_ps());
    EXPECT_EQ(channel_.started, (Started{"P0", "suspend"}));
}

// ---- how long writes wait -----------------------------------------------------------------------

TEST_F(SuspendTest, ReadsThatNeverEndKeepAWriteWaitingForTheLimit) {
    suspend_ = {};
    write_limit_ = 100 * kUs;
    build(Discipline::kReadFirst);
    read(8);
    submit({program(0), program(1)});
    for (std::uint32_t i = 0; i < 8; ++i) {
        read(9);
    }
    for (std::uint32_t i = 0; i < 6; ++i) {
        pass(30 * kUs);
        finish();
    }
    // Kept waiting from 30 us on, when the die was first asked.
    EXPECT_EQ(channel_.started, (Started{"R8", "R9", "R9", "R9", "R9", "P0", "R9"}));
}

TEST_F(SuspendTest, WithoutALimitAWriteWaitsAsLongAsThereAreReads) {
    suspend_ = {};
    build(Discipline::kReadFirst);
    read(8);
    submit({program(0)});
    for (std::uint32_t i = 0; i < 8; ++i) {
        read(9);
    }
    for (std::uint32_t i = 0; i < 9; ++i) {
        pass(kSecond);
        EXPECT_NE(channel_.started.back(), "P0");
        finish();
    }
    EXPECT_EQ(channel_.started.back(), "P0");
}

TEST_F(SuspendTest, WhatIsSuspendedGoesOnAfterTheLimitThoughReadsWait) {
    write_limit_ = 100 * kUs;
    build(Discipline::kReadFirst);
    submit({program(0)});
    latch(500 * kUs);
    for (std::uint32_t i = 0; i < 8; ++i) {
        read(8);
    }
    suspended();
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(channel_.started.back(), "R8");
        pass(30 * kUs);
        finish();
    }
    EXPECT_EQ(channel_.started.back(), "resume");
}

// ---- planes -------------------------------------------------------------------------------------

class PlanesTest : public FlashSchedulerTest {
  protected:
    PlanesTest() { multi_plane_others_ = true; }
    void read(std::uint32_t page) { scheduler_->queues().submit_read(Ppn{page}, kNoLpn, page); }
};

TEST_F(PlanesTest, ReadsOfACommandStartTogether) {
    build(Discipline::kReadFirst);
    EXPECT_TRUE(scheduler_->queues().gathers());
    scheduler_->queues().gather();
    read(0);
    scheduler_->queues().gather(); // of a command that the first one brings
    read(16);
    scheduler_->queues().start_gathered();
    EXPECT_EQ(channel_.started, Started{});
    scheduler_->queues().start_gathered();
    EXPECT_EQ(channel_.started, (Started{"R0+16"}));
    finish();
    read(1); // by itself
    EXPECT_EQ(channel_.started.back(), "R1");
    multi_plane_others_ = false;
    build(Discipline::kReadFirst);
    EXPECT_FALSE(scheduler_->queues().gathers());
}

/// The data of two pages for two planes come one after the other.
class CommandPagesTest : public PlanesTest {
  protected:
    void SetUp() override {
        client_.hold_data = client_.coming = true;
        build(Discipline::kReadFirst);
        scheduler_->queues().attribute_to(deciding_);
    }
    void come(std::size_t page) { scheduler_->data_ready(client_.held[page], now_ps() + kUs); }

    std::uint64_t deciding_ = 7;
};

TEST_F(CommandPagesTest, AProgramWaitsForThePagesOfItsCommand) {
    submit({program(0)});
    submit({program(16)});
    come(0);
    pass(2 * kUs);
    EXPECT_EQ(channel_.started, Started{});
    come(1);
    pass(2 * kUs);
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
}

TEST_F(CommandPagesTest, AReadDoesNotWaitWithIt) {
    submit({program(0)});
    submit({program(16)});
    come(0);
    pass(2 * kUs);
    read(8);
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8"}));
    come(1);
    pass(2 * kUs);
    EXPECT_EQ(channel_.started, (Started{"R8", "P0+16"}));
}

TEST_F(CommandPagesTest, AProgramWaitsForNoPageOfAnotherCommand) {
    submit({program(0)});
    deciding_ = 8;
    submit({program(16)});
    come(0);
    pass(2 * kUs);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

/// It may have no frame before this program is done.
TEST_F(CommandPagesTest, AProgramWaitsForNoPageThatMayNeedItsFrame) {
    client_.coming = false;
    submit({program(0)});
    submit({program(16)});
    come(0);
    pass(2 * kUs);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
}

TEST_F(PlanesTest, ReadsOfOnePageIndexInTwoPlanesRunAsOne) {
    submit({program(12)}); // keeps the die busy
    for (const std::uint32_t page : {0u, 1u, 17u, 16u, 2u}) {
        read(page);
    }
    finish();
    EXPECT_EQ(channel_.started.back(), "R0+16");
    scheduler_->page_out(DieId{0}, 0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0}));
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0, 16}));
    EXPECT_EQ(channel_.started.back(), "R1+17");
    finish();
    EXPECT_EQ(channel_.started.back(), "R2");
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

// The other way round this is no read but what the register still holds.
TEST_F(PlanesTest, WhatThePageRegisterHoldsIsNotReadWithOthers) {
    build_units(1, true);
    read(0);
    read(0);
    read(16);
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "C0"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "R16");
    finish();
    // Both planes hold their pages now.
    read(0);
    finish();
    read(16);
    EXPECT_EQ(channel_.started.back(), "C16");
    EXPECT_EQ(channel_.started[3], "C0");
}

TEST_F(PlanesTest, ErasesOfTwoPlanesRunAsOne) {
    submit({program(12), erase(0), erase(20), erase(4), program(0)});
    finish();
    EXPECT_EQ(channel_.started.back(), "E0+20");
    finish();
    EXPECT_EQ(channel_.started.back(), "E4");
    finish();
    EXPECT_EQ(channel_.started.back(), "P0");
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

} // namespace
} // namespace cavern
