// Collection in steps in the page-mapping layer.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/page_ftl.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/core/ftl/page_ftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

FtlParams paced(FtlParams params) {
    params.gc_pace = GcPace::kPaced;
    return params;
}

std::uint64_t copies_in(const FlashOpList& ops) {
    return static_cast<std::uint64_t>(
        std::count_if(ops.begin(), ops.end(), [](const FlashOp& op) { return op.copies; }));
}

/// Six blocks of four pages, of which twelve are written: blocks 0 and 1 have two valid pages each,
/// and three blocks' worth of pages are free.
class PaceTest : public ::testing::Test {
  protected:
    PaceTest() {
        for (const std::uint64_t lpn : {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 4, 5}) {
            EXPECT_EQ(write(ftl, lpn).size(), 1u);
        }
    }
    RecordingLog log;
    PageFtl ftl{geometry_of(1, 1, 1, 6, 4), paced(page_params(0.4, 1, 2)), &log};
};

// Two pages to copy for two that this brings: one with each page of the host.
TEST_F(PaceTest, AVictimIsEmptiedWhileTheHostWritesWhatItBrings) {
    EXPECT_EQ(text_of(write(ftl, 8)),
              (Lines{"read gc page 2 lpn 2", "program gc page 12 lpn 2 after 0 copies",
                     "program host page 16 lpn 8"}));
    EXPECT_EQ(log.starting_with("gc 0"), Lines{});
    EXPECT_GT(ftl.check_invariants(), 0u);
    EXPECT_EQ(text_of(write(ftl, 9)),
              (Lines{"read gc page 3 lpn 3", "program gc page 13 lpn 3 after 0 copies",
                     "erase gc page 0 after 1", "program host page 17 lpn 9"}));
    EXPECT_EQ(log.starting_with("gc 0"), Lines{"gc 0 copies 2"});
    EXPECT_EQ(ftl.counters().gc_runs, 1u);
    EXPECT_EQ(ftl.counters().gc_pages, 2u);
    // The next is begun with the next page: the free pages are as many as before.
    EXPECT_EQ(text_of(write(ftl, 8)),
              (Lines{"read gc page 6 lpn 6", "program gc page 14 lpn 6 after 0 copies",
                     "program host page 18 lpn 8"}));
}

TEST_F(PaceTest, WhatTheHostOverwritesMeanwhileIsNotCopied) {
    EXPECT_EQ(text_of(write(ftl, 3)),
              (Lines{"read gc page 2 lpn 2", "program gc page 12 lpn 2 after 0 copies",
                     "program host page 16 lpn 3"}));
    EXPECT_EQ(text_of(write(ftl, 8)), (Lines{"erase gc page 0", "program host page 17 lpn 8"}));
    EXPECT_EQ(log.starting_with("gc 0"), Lines{"gc 0 copies 1"});
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST_F(PaceTest, APageTrimmedMeanwhileIsNotCopied) {
    write(ftl, 8);
    FlashOpList ops;
    ftl.trim(Lpn{3}, ops);
    EXPECT_TRUE(ops.empty());
    EXPECT_EQ(text_of(write(ftl, 9)), (Lines{"erase gc page 0", "program host page 17 lpn 9"}));
}

class SteadyPaceTest : public ::testing::TestWithParam<double> {
  protected:
    static constexpr std::uint32_t kPages = 32;
    const Geometry geometry = geometry_of(1, 1, 1, 96, kPages);

    struct Steady {
        std::uint64_t most_copies = 0; ///< with one host page
        std::uint64_t least_free = 0;
        std::uint64_t most_free = 0;
        double amplification = 0;
    };
    /// Random writes over all of the drive, twelve times its pages, of which the last six count.
    [[nodiscard]] Steady play(const FtlParams& params) const {
        PageFtl ftl(geometry, params, nullptr);
        Random random(7);
        Steady result;
        result.least_free = geometry.pages();
        const std::uint64_t pages = ftl.logical_pages();
        for (std::uint64_t lpn = 0; lpn < pages; ++lpn) {
            write(ftl, lpn);
        }
        for (std::uint64_t i = 0; i < 12 * pages; ++i) {
            if (i == 6 * pages) {
                ftl.reset_counters();
            }
            const FlashOpList ops = write(ftl, random.below(pages));
            if (i >= 6 * pages) {
                result.most_copies = std::max(result.most_copies, copies_in(ops));
                result.least_free =
                    std::min(result.least_free, ftl.space().pages_to_fill(PlaneId{0}));
                result.most_free =
                    std::max(result.most_free, ftl.space().pages_to_fill(PlaneId{0}));
            }
        }
        EXPECT_GT(ftl.check_invariants(), 0u);
        result.amplification =
            static_cast<double>(ftl.programs()) / static_cast<double>(ftl.counters().host_pages);
        return result;
    }
};

INSTANTIATE_TEST_SUITE_P(Spare, SteadyPaceTest, ::testing::Values(0.12, 0.2, 0.4));

// The free pages stay within the block that a victim costs before it brings one. What the host
// overwrites in a victim is free sooner than planned.
TEST_P(SteadyPaceTest, TheFreePagesStayWhereTheyAre) {
    const Steady steady = play(paced(page_params(GetParam(), 1, 2)));
    EXPECT_LE(steady.most_free, 3u * kPages + kPages / 4);
    EXPECT_GE(steady.least_free, 2u * kPages - steady.most_copies - 1);
}

// With an amplification of A each page of the host brings A - 1 copies on average; a victim is at
// most a little fuller than the average one.
TEST_P(SteadyPaceTest, NoHostPageWaitsForMoreThanItsShare) {
    const Steady steady = play(paced(page_params(GetParam(), 1, 2)));
    EXPECT_LE(static_cast<double>(steady.most_copies), 2 * (steady.amplification - 1) + 1);
    // The control: a burst copies whole victims.
    const Steady burst = play(page_params(GetParam(), 1, 2));
    EXPECT_GT(burst.most_copies, 3 * steady.most_copies);
}

// With the same watermarks it keeps a block more: it copies as much as a burst that does so as
// well.
TEST_P(SteadyPaceTest, PaceCostsTheCopiesOfTheBlockThatItKeeps) {
    const double in_steps = play(paced(page_params(GetParam(), 1, 2))).amplification;
    const double at_once = play(page_params(GetParam(), 2, 3)).amplification;
    EXPECT_NEAR(in_steps / at_once, 1, 0.05) << in_steps << " and " << at_once;
    EXPECT_GT(in_steps, play(page_params(GetParam(), 1, 2)).amplification);
}

TEST(PaceAheadTest, AnIdlePlaneCopiesNoMoreThanItIsAskedTo) {
    FtlParams params = paced(page_params(0.4, 1, 2));
    params.gc_background = 5;
    PageFtl ftl(geometry_of(1, 1, 1, 24, 8), params, nullptr);
    Random random(3);
    for (int i = 0; i < 2'000; ++i) {
        write(ftl, random.below(ftl.logical_pages()));
    }
    std::uint64_t calls = 0;
    std::uint64_t copies = 0;
    for (FlashOpList ops; ftl.maintain(PlaneId{0}, 2, ops); ops.clear()) {
        ASSERT_LE(copies_in(ops), 2u);
        copies += copies_in(ops);
        ++calls;
        ASSERT_GT(ftl.check_invariants(), 0u);
    }
    EXPECT_GE(ftl.space().list_free(PlaneId{0}).size(), 5u);
    EXPECT_GT(copies, 8u);
    EXPECT_LE(copies, 2 * calls);
}

TEST(PaceFitsTest, WatermarksInPagesAreThoseOfABurst) {
    FtlParams params = paced(page_params(0.4, 17, 40));
    params.gc_in_pages = true;
    EXPECT_THROW(PageFtl(geometry_of(1, 1, 1, 40, 8), params, nullptr), ModelError);
}

} // namespace
} // namespace cavern::testing
