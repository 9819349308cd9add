// Wear levelling in the page-mapping layer.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/ftl/free_pool.h"
#include "core/ftl/page_ftl.h"
#include "tests/core/ftl/page_wear_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::Lines;
using testing::params_of;
using testing::RecordingLog;
using testing::text_of;
using testing::write;
using Probe = PageFtlProbe;

// docs/algorithms.md, WLD-1: free (id, erases) (4, 7), (2, 3), (9, 3).
TEST(WearTest, TheLeastWornFreeBlockIsTakenFirst) {
    const Geometry geometry = geometry_of(1, 1, 1, 10, 4);
    BlockStates blocks(10);
    FreePool pool(geometry, &blocks, nullptr);
    FreePool in_order(geometry);
    for (int i = 0; i < 10; ++i) {
        (void)pool.take(PlaneId{0});
        (void)in_order.take(PlaneId{0});
    }
    blocks[4].erases = 7;
    blocks[2].erases = 3;
    blocks[9].erases = 3;
    for (const std::uint32_t block : {4u, 2u, 9u}) {
        pool.give_back(BlockId{block});
        in_order.give_back(BlockId{block});
    }
    const std::vector<BlockId> expected{BlockId{2}, BlockId{9}, BlockId{4}};
    EXPECT_EQ(pool.list(PlaneId{0}), expected);
    for (const BlockId block : expected) {
        EXPECT_EQ(pool.take(PlaneId{0}), block);
    }
    EXPECT_EQ(in_order.take(PlaneId{0}), BlockId{4}); // without levelling: the one free longest
}

TEST(WearTest, TheMostWornFreeBlockIsTheOneOfTheLowerNumberAmongEquals) {
    const Geometry geometry = geometry_of(1, 1, 1, 6, 4);
    BlockStates blocks(6);
    FreePool pool(geometry, &blocks, nullptr);
    EXPECT_EQ(pool.take_most_worn(PlaneId{0}), BlockId{0}); // all are new
    for (int i = 0; i < 4; ++i) {
        (void)pool.take(PlaneId{0});
    }
    for (const std::uint32_t block : {3u, 1u, 2u, 4u}) {
        blocks[block].erases = block == 4 ? 5 : 9;
        pool.give_back(BlockId{block});
    }
    for (const std::uint32_t block : {1u, 2u, 3u, 4u, 5u}) {
        EXPECT_EQ(pool.take_most_worn(PlaneId{0}), BlockId{block});
    }
}

/// docs/algorithms.md, WL-1, Np = 8: blocks 0: 3 erases, data, 4 valid; 1: 12, data, 8; 2: 14,
/// free; 3: 9, free.
class StaticWearTest : public ::testing::Test {
  protected:
    void make(std::uint32_t threshold) {
        ftl = std::make_unique<PageFtl>(geometry, params_of(0.4, WearLeveling::kStatic, threshold),
                                        &log);
        for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
            write(*ftl, lpn);
        }
        for (const std::uint64_t lpn : {0, 2, 4, 6}) {
            ftl->trim(Lpn{lpn}, ops);
        }
        const BlockId two = Probe::take(*ftl);
        const BlockId three = Probe::take(*ftl);
        const std::uint32_t erases[] = {3, 12, 14, 9};
        for (std::uint32_t block = 0; block < 4; ++block) {
            Probe::set_erases(*ftl, BlockId{block}, erases[block]);
        }
        Probe::give_back(*ftl, two);
        Probe::give_back(*ftl, three);
        ops.clear();
    }
    Geometry geometry = geometry_of(1, 1, 1, 4, 8);
    RecordingLog log;
    std::unique_ptr<PageFtl> ftl;
    FlashOpList ops;
};

TEST_F(StaticWearTest, ColdPagesMoveToTheMostWornFreeBlock) {
    make(10);
    Probe::level(*ftl, ops);
    EXPECT_EQ(text_of(ops),
              (Lines{"read wear page 1 lpn 1", "program wear page 16 lpn 1 after 0 copies",
                     "read wear page 3 lpn 3", "program wear page 17 lpn 3 after 2 copies",
                     "read wear page 5 lpn 5", "program wear page 18 lpn 5 after 4 copies",
                     "read wear page 7 lpn 7", "program wear page 19 lpn 7 after 6 copies",
                     "erase wear page 0 after 7"}));
    EXPECT_EQ(ftl->counters().wear_pages, 4u);
    EXPECT_EQ(ftl->counters().wear_runs, 1u);
    EXPECT_EQ(ftl->counters().gc_pages, 0u);
    EXPECT_EQ(ftl->space().block(BlockId{0}).erases, 4u);
    // The emptied block is the least worn of those free and comes into use next.
    EXPECT_EQ(ftl->space().list_free(PlaneId{0}), (std::vector<BlockId>{BlockId{0}, BlockId{3}}));
    EXPECT_GT(ftl->check_invariants(), 0u);
    // Of the rest 12 is the least: 14 is near.
    ops.clear();
    Probe::level(*ftl, ops);
    EXPECT_TRUE(ops.empty());
}

TEST_F(StaticWearTest, AsFarApartAsTheThresholdIsNotTooFar) {
    make(11);
    Probe::level(*ftl, ops);
    EXPECT_TRUE(ops.empty());
    make(10);
    Probe::level(*ftl, ops);
    EXPECT_FALSE(ops.empty());
}

// Of ten blocks one has data, one is filled with cold pages: eight blocks are free, of which the
// host fills all but the three that collection in steps wants. What is left for cold pages counts
// for neither.
TEST(PacedWearTest, PagesLeftForColdOnesAreNotTheHosts) {
    FtlParams params = params_of(0.5, WearLeveling::kStatic, 2);
    params.gc_pace = GcPace::kPaced;
    params.gc_low = 1;
    params.gc_high = 2;
    PageFtl ftl(geometry_of(1, 1, 1, 10, 4), params, nullptr);
    for (std::uint64_t lpn = 0; lpn < 8; ++lpn) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    ftl.trim(Lpn{0}, ops);
    Probe::set_erases(ftl, BlockId{1}, 3);
    Probe::level(ftl, ops);
    EXPECT_EQ(ftl.counters().wear_pages, 3u); // one page is left
    std::uint64_t pages = 0;
    while (write(ftl, 8).size() == 1) {
        ++pages;
    }
    EXPECT_EQ(pages, 5u * 4);
}

struct Spread {
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
    double amplification = 0;
};

/// Three quarters of the pages are written once, the rest again and again.
Spread wear_of(WearLeveling leveling, std::uint32_t threshold) {
    const Geometry geometry = geometry_of(1, 1, 1, 64, 16);
    PageFtl ftl(geometry, params_of(0.2, leveling, threshold), nullptr);
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        write(ftl, lpn);
    }
    ftl.reset_counters();
    Random random(1);
    for (int i = 0; i < 400'000; ++i) {
        write(ftl, random.below(ftl.logical_pages() / 4));
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
    Spread spread;
    for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
        spread.least = std::min(spread.least, ftl.space().block(BlockId{block}).erases);
        spread.most = std::max(spread.most, ftl.space().block(BlockId{block}).erases);
    }
    const FtlCounters& c = ftl.counters();
    spread.amplification =
        1 + static_cast<double>(c.gc_pages + c.wear_pages) / static_cast<double>(c.host_pages);
    return spread;
}

TEST(WearTest, StaticLevellingBoundsTheSpreadThatTheOthersLeave) {
    const Spread none = wear_of(WearLeveling::kNone, 0);
    const Spread dynamic = wear_of(WearLeveling::kDynamic, 0);
    const Spread leveled = wear_of(WearLeveling::kStatic, 20);
    EXPECT_LE(none.least, 1u); // cold blocks are never collected
    EXPECT_LE(dynamic.least, 1u);
    EXPECT_GT(none.most, 500u);
    EXPECT_LE(leveled.most - leveled.least, 22u);
    EXPECT_GT(leveled.least, 300u);
    EXPECT_LT(leveled.most, none.most);
    // At the price of moving what is cold.
    EXPECT_GT(leveled.amplification, none.amplification);
    EXPECT_LT(leveled.amplification, none.amplification * 1.2);
}

} // namespace
} // namespace cavern
