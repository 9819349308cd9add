// Which reads and programs go on behind what a die does, by way of its cache register.

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

/// Two planes of four blocks of four pages: block 0 has the pages 0..3, block 4 those from 16 on.
class CacheTest : public FlashSchedulerTest {
  protected:
    CacheTest() { cache_ = {true, true, 3 * kUs, 4 * kUs}; }
    void SetUp() override { build(Discipline::kReadFirst); }

    void read(std::uint32_t page) { scheduler_->queues().submit_read(Ppn{page}, kNoLpn, page); }
    /// The array has what it read in its register, or the cache register is empty again: the pages
    /// that are read behind it.
    std::string ready() { return named(scheduler_->next_read(DieId{0})); }
    std::string out() { return named(scheduler_->cached_read_out(DieId{0})); }
    std::string named(bool more) {
        std::string text;
        for (std::uint32_t i = 0; more && i < channel_.next.count; ++i) {
            text += (i == 0 ? "" : "+") + std::to_string(raw(channel_.next.pages[i]));
        }
        return text;
    }
    void free_cache() { scheduler_->cache_free(DieId{0}); }
};

TEST_F(CacheTest, ReadsOfABlockFollowEachOther) {
    for (const std::uint32_t page : {0, 1, 3, 2}) {
        read(page);
    }
    EXPECT_EQ(ready(), "1");
    EXPECT_EQ(out(), "3");
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(out(), "2");
    EXPECT_EQ(out(), "");
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0, 1, 3}));
    finish();
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0, 1, 3, 2}));
    EXPECT_EQ(channel_.started, (Started{"R0"}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(CacheTest, NoReadOfAnotherBlockFollows) {
    read(0);
    read(4);
    EXPECT_EQ(ready(), "");
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R4"}));
}

TEST_F(CacheTest, WithoutCacheReadsNothingFollows) {
    cache_ = {};
    build(Discipline::kReadFirst);
    submit({program(0), program(1)});
    EXPECT_EQ(channel_.command(0).what, NandCommand::kProgram);
}

// Pages 1 and 2 were there when the first read ended in the array; page 3 came later.
TEST_F(CacheTest, OnlyReadsThatWereThereFirstPassOthers) {
    read(0);
    read(8);
    read(1);
    EXPECT_EQ(ready(), "1");
    read(2);
    EXPECT_EQ(out(), "");
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R8"}));
    finish();
    EXPECT_EQ(channel_.started.back(), "R2");
}

TEST_F(CacheTest, InOrderOfSubmissionNoReadPassesAnother) {
    build(Discipline::kFifo);
    read(0);
    read(8);
    read(1);
    EXPECT_EQ(ready(), "");
}

TEST_F(CacheTest, InOrderOfSubmissionAnOlderProgramGoesFirst) {
    build(Discipline::kFifo);
    read(0);
    submit({program(8)});
    read(1);
    EXPECT_EQ(ready(), "");
    finish();
    EXPECT_EQ(channel_.started.back(), "P8");
}

TEST_F(CacheTest, ReadsOfTheHostComeBeforeThoseOfCollection) {
    submit({op(FlashOpKind::kRead, 0, Origin::kGc), op(FlashOpKind::kRead, 1, Origin::kGc)});
    read(8);
    EXPECT_EQ(ready(), "");
    finish();
    EXPECT_EQ(channel_.started.back(), "R8");
}

TEST_F(CacheTest, AProgramThatHasWaitedItsTimeGoesBeforeReadsOfTheBlock) {
    write_limit_ = 100 * kUs;
    build(Discipline::kReadFirst);
    read(0);
    submit({program(8)});
    read(1);
    read(2);
    EXPECT_EQ(ready(), "1");
    pass(100 * kUs);
    EXPECT_EQ(out(), "");
    finish();
    EXPECT_EQ(channel_.started.back(), "P8");
}

TEST_F(CacheTest, PlanesFollowTogether) {
    multi_plane_others_ = true;
    build(Discipline::kReadFirst);
    read(8);
    for (const std::uint32_t page : {0, 16, 1, 17}) {
        read(page);
    }
    EXPECT_EQ(ready(), "");
    finish();
    EXPECT_EQ(channel_.started, (Started{"R8", "R0+16"}));
    EXPECT_EQ(ready(), "1+17");
    EXPECT_EQ(out(), "");
    finish();
    EXPECT_EQ(client_.read.size(), 5u);
}

// The read of plane 1 would have to start by itself: the two start together instead.
TEST_F(CacheTest, PlanesThatStartTogetherAreNotTakenApart) {
    multi_plane_others_ = true;
    build(Discipline::kReadFirst);
    read(0);
    read(1);
    read(17);
    EXPECT_EQ(ready(), "");
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R1+17"}));
}

TEST_F(CacheTest, WhatTheRegisterHoldsGoesOutWithIt) {
    build_units(2, true);
    read(0);
    read(2); // of the next NAND page
    read(1); // of the one in the register
    read(3);
    EXPECT_EQ(ready(), "2");
    EXPECT_EQ(channel_.command(0).count, 2u);
    EXPECT_EQ(channel_.command(0).nand_pages, 1u);
    EXPECT_EQ(channel_.command(0).pages[1], Ppn{1});
    scheduler_->page_out(DieId{0}, 0);
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(out(), "");
    EXPECT_EQ(client_.read, (std::vector<std::uint32_t>{0, 1}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "C3"}));
    finish();
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

// The register of plane 1 has page 16; with two planes it keeps it.
TEST_F(CacheTest, WhatAnotherPlaneHoldsDoesNotGoOutWithIt) {
    multi_plane_others_ = true;
    build_units(2, true);
    read(32);
    EXPECT_EQ(ready(), "");
    finish();
    read(0);
    read(33);
    read(36); // of the block of plane 1
    read(2);
    EXPECT_EQ(ready(), "2");
    EXPECT_EQ(channel_.command(0).count, 1u);
    EXPECT_EQ(out(), "");
    finish();
    EXPECT_EQ(channel_.started, (Started{"R32", "R0", "C33"}));
}

// Sixteen reads are looked at. Seven of them join what runs, so that a partner in another block
// comes into view.
TEST_F(CacheTest, APartnerThatComesIntoViewLateIsLeft) {
    multi_plane_others_ = true;
    build_units(8, true);
    for (std::uint32_t unit = 0; unit < 16; ++unit) {
        read(unit);
    }
    read(40);
    read(41);
    read(136); // page 1 of the first block of plane 1
    EXPECT_EQ(ready(), "8");
    EXPECT_EQ(channel_.command(0).count, 8u);
}

// Nothing goes on behind it: each is a read of the register.
TEST_F(CacheTest, WhatTheRegisterHoldsIsReadFromThereWhereNothingFollows) {
    build_units(2, true);
    read(0);
    read(1);
    EXPECT_EQ(ready(), "");
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "C1"}));
}

TEST_F(CacheTest, DataOfAProgramComeInWhileTheArrayProgramsTheOneBefore) {
    submit({program(0), program(1), program(2)});
    EXPECT_EQ(channel_.command(0).what, NandCommand::kCacheProgram);
    free_cache();
    EXPECT_EQ(channel_.started, (Started{"P0", "behind", "P1"}));
    EXPECT_EQ(channel_.command(0).what, NandCommand::kCacheProgram);
    scheduler_->program_finished(DieId{0});
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{0}));
    free_cache();
    EXPECT_EQ(channel_.started.back(), "P2");
    EXPECT_EQ(channel_.command(0).what, NandCommand::kProgram) << "the last one ends with 10h";
    scheduler_->program_finished(DieId{0});
    finish();
    EXPECT_EQ(client_.programmed, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

TEST_F(CacheTest, AProgramOfAnotherBlockDoesNotFollow) {
    submit({program(0), program(4)});
    EXPECT_EQ(channel_.command(0).what, NandCommand::kProgram);
    submit({program(1)});
    free_cache(); // as if it had been 15h
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P4"}));
}

TEST_F(CacheTest, AProgramFollowsWhenItsDataAreThere) {
    client_.data_at = 10 * kUs;
    submit({program(0)});
    pass(10 * kUs);
    client_.hold_data = true;
    submit({program(1)});
    free_cache();
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    scheduler_->data_ready(client_.held.back(), now_ps() + 5 * kUs);
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    pass(5 * kUs);
    EXPECT_EQ(channel_.started, (Started{"P0", "behind", "P1"}));
}

TEST_F(CacheTest, AReadGoesBeforeTheProgramThatCouldFollow) {
    submit({program(0), program(1)});
    read(8);
    free_cache();
    EXPECT_EQ(channel_.started, (Started{"P0"}));
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "R8"}));
    free_cache();
    EXPECT_EQ(channel_.started, (Started{"P0", "R8"}));
}

// The die has ended: a program that comes now starts as any other.
TEST_F(CacheTest, NothingFollowsAProgramThatHasEnded) {
    submit({program(0)});
    free_cache();
    finish();
    submit({program(1)});
    EXPECT_EQ(channel_.started, (Started{"P0", "P1"}));
}

// Its end is what the next one waits for.
TEST_F(CacheTest, NothingFollowsAProgramThatEnds) {
    FlashOpList ops{program(0), program(1)};
    ops[1].after = 0;
    submit(ops);
    free_cache();
    finish();
    EXPECT_EQ(channel_.started, (Started{"P0", "P1"}));
}

TEST_F(CacheTest, ProgramsOfPlanesFollowTogetherOrNotAtAll) {
    submit({program(0), program(16), program(1), program(17)});
    EXPECT_EQ(channel_.started, (Started{"P0+16"}));
    free_cache();
    EXPECT_EQ(channel_.started.back(), "P1+17");
    scheduler_->program_finished(DieId{0});
    submit({program(2), program(22)}); // of another block of the second plane
    free_cache();
    EXPECT_EQ(channel_.started.back(), "P1+17");
    finish();
    EXPECT_EQ(channel_.started.back(), "P2+22");
}

TEST_F(CacheTest, CopiesGiveTheirPageOfTheSdramBackAsTheyFollow) {
    copy_pages_ = 2;
    build(Discipline::kFifo, false);
    for (const std::uint32_t page : {0, 2}) {
        FlashOpList ops{op(FlashOpKind::kRead, page, Origin::kGc),
                        op(FlashOpKind::kRead, page + 1, Origin::kGc)};
        for (std::uint32_t i = 0; i < 2; ++i) {
            ops.push_back(FlashOp::copy(Origin::kGc, Ppn{page + i}, Ppn{page + i + 8}, kNoLpn,
                                        static_cast<std::int32_t>(i)));
        }
        submit(ops);
    }
    finish();
    finish();
    EXPECT_EQ(channel_.started, (Started{"R0", "R1", "P8"}));
    free_cache();
    EXPECT_EQ(channel_.started.back(), "P9");
    scheduler_->program_finished(DieId{0});
    finish();
    EXPECT_EQ(channel_.started.back(), "R2");
    finish();
    EXPECT_EQ(channel_.started.back(), "R3");
    finish();
    finish();
    finish();
    EXPECT_EQ(channel_.started.back(), "P11");
    EXPECT_GT(scheduler_->check_idle(), 0u);
}

} // namespace
} // namespace cavern
