// Blocks of the page-mapping layer that are moved before they cannot be read any more.

#include <cstdint>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ftl/page_ftl.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/core/ftl/page_ftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::Lines;
using testing::page_params;
using testing::RecordingLog;
using testing::text_of;
using testing::write;

FtlParams refreshing(std::uint64_t reads) {
    FtlParams params = page_params(0.5, 1, 2);
    params.refresh_reads = reads;
    params.refreshes = true;
    return params;
}

class RefreshTest : public ::testing::Test {
  protected:
    void fill(PageFtl& ftl, std::uint64_t pages) {
        for (std::uint64_t lpn = 0; lpn < pages; ++lpn) {
            write(ftl, lpn);
        }
    }
    void read(PageFtl& ftl, std::uint64_t lpn, int times) {
        FlashOpList none;
        for (int i = 0; i < times; ++i) {
            (void)ftl.read(Lpn{lpn}, none);
        }
        EXPECT_TRUE(none.empty());
    }
    Geometry geometry = geometry_of(1, 1, 1, 8, 4);
    RecordingLog log;
    FlashOpList ops;
};

// Blocks 0 and 1 are full, 2 has one page. Page 1 has been written anew.
TEST_F(RefreshTest, ABlockThatIsReadTooOftenMovesWithTheNextBlockOfTheHost) {
    PageFtl ftl(geometry, refreshing(3), &log);
    fill(ftl, 8);
    write(ftl, 1);
    read(ftl, 0, 2);
    read(ftl, 5, 2);
    for (const std::uint64_t lpn : {4, 4, 4}) { // the block that is being filled goes on
        EXPECT_EQ(text_of(write(ftl, lpn)).size(), 1u);
    }
    EXPECT_EQ(text_of(write(ftl, 6)), (Lines{"program host page 12 lpn 6"}));
    read(ftl, 2, 1); // the third of block 0
    for (const std::uint64_t lpn : {6, 6, 6}) {
        EXPECT_EQ(text_of(write(ftl, lpn)).size(), 1u);
    }
    EXPECT_EQ(text_of(write(ftl, 7)),
              (Lines{"read refresh page 0 lpn 0", "program refresh page 16 lpn 0 after 0 copies",
                     "read refresh page 2 lpn 2", "program refresh page 17 lpn 2 after 2 copies",
                     "read refresh page 3 lpn 3", "program refresh page 18 lpn 3 after 4 copies",
                     "erase refresh page 0 after 5", "program host page 20 lpn 7"}));
    EXPECT_EQ(ftl.counters().refresh_pages, 3u);
    EXPECT_EQ(ftl.counters().refresh_runs, 1u);
    EXPECT_EQ(ftl.counters().gc_pages, 0u);
    EXPECT_EQ(ftl.programs(), 20u);
    EXPECT_GT(ftl.check_invariants(), 0u);
    // What moved has not been read there.
    read(ftl, 0, 2);
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
}

TEST_F(RefreshTest, WithoutItReadsMoveNothing) {
    PageFtl ftl(geometry, page_params(0.5, 1, 2), &log);
    fill(ftl, 8);
    read(ftl, 0, 1000);
    for (std::uint64_t lpn = 0; lpn < 8; ++lpn) {
        EXPECT_EQ(text_of(write(ftl, lpn)).size(), 1u);
    }
    EXPECT_EQ(ftl.parts().refresh, nullptr);
}

TEST_F(RefreshTest, IdleDiesMoveItAtOnce) {
    PageFtl ftl(geometry, refreshing(3), &log);
    fill(ftl, 8);
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
    read(ftl, 6, 3);
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(text_of(ops).size(), 9u);
    EXPECT_EQ(text_of(ops).back(), "erase refresh page 4 after 7");
    ops.clear();
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
}

TEST_F(RefreshTest, InStepsItMovesAPageWithEachOfTheHost) {
    FtlParams params = refreshing(3);
    params.gc_pace = GcPace::kPaced;
    PageFtl ftl(geometry, params, &log);
    fill(ftl, 8);
    read(ftl, 5, 3);
    for (const std::uint64_t lpn : {0, 1, 2}) {
        EXPECT_EQ(text_of(write(ftl, lpn)).size(), 3u);
        EXPECT_EQ(ftl.counters().refresh_runs, 0u);
        EXPECT_GT(ftl.check_invariants(), 0u);
    }
    EXPECT_EQ(text_of(write(ftl, 3)).size(), 4u); // and the erase
    EXPECT_EQ(ftl.counters().refresh_pages, 4u);
    EXPECT_EQ(ftl.counters().refresh_runs, 1u);
    EXPECT_EQ(text_of(write(ftl, 0)).size(), 1u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST_F(RefreshTest, InStepsIdleDiesMoveSomePagesAtATime) {
    FtlParams params = refreshing(3);
    params.gc_pace = GcPace::kPaced;
    PageFtl ftl(geometry, params, &log);
    fill(ftl, 8);
    read(ftl, 0, 3);
    for (int i = 0; i < 4; ++i) {
        ops.clear();
        EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
        EXPECT_EQ(text_of(ops).size(), i == 3 ? 3u : 2u);
    }
    ops.clear();
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(ftl.counters().refresh_runs, 1u);
}

TEST_F(RefreshTest, WhoFindsErrorsAsksForTheBlock) {
    PageFtl ftl(geometry, refreshing(0), &log);
    fill(ftl, 8);
    ftl.parts().refresh->refresh(Ppn{5});
    ftl.parts().refresh->refresh(Ppn{6}); // of the same block
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(text_of(ops).back(), "erase refresh page 4 after 7");
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
}

TEST_F(RefreshTest, WhatCollectionErasedIsFresh) {
    PageFtl ftl(geometry, refreshing(4), &log);
    fill(ftl, 4);
    read(ftl, 0, 3);
    while (ftl.space().block(BlockId{0}).erases == 0) {
        fill(ftl, 4);
    }
    while (raw(ftl.location(Lpn{0})) >= 4) { // until it lies in block 0 again
        write(ftl, 0);
    }
    while (ftl.space().pages_to_fill(PlaneId{0}) % 4 != 0) {
        write(ftl, 3);
    }
    read(ftl, 0, 1);
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(ftl.counters().refresh_runs, 0u);
}

// Two planes in step are one: so are their blocks.
TEST_F(RefreshTest, PlanesInStepMoveTogether) {
    FtlParams params = refreshing(3);
    params.gc_placement = GcPlacement::kDie;
    const Geometry planes = geometry_of(1, 1, 2, 8, 4);
    PageFtl ftl(planes, params, &log);
    fill(ftl, 16);
    read(ftl, 1, 5); // the sixth is due: three for each plane
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
    read(ftl, 1, 1);
    EXPECT_TRUE(ftl.maintain(PlaneId{1}, 1, ops));
    EXPECT_EQ(ftl.counters().refresh_pages, 8u);
    EXPECT_EQ(ftl.counters().erases, 2u);
    ops.clear();
    ftl.parts().refresh->refresh(ftl.location(Lpn{9}));
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(ftl.counters().refresh_pages, 16u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

} // namespace
} // namespace cavern
