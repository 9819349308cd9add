#include "core/ftl/mcsplit.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/ftl/bast.h"
#include "tests/core/ftl/hybrid_fixture.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::Hybrid;
using testing::hybrid_params;
using testing::Lines;
using testing::range;

/// S = 4, Np = 4, L = 1, superblocks 0 and 1 of 16 pages preconditioned.
class McSplitExampleTest : public ::testing::Test {
  protected:
    Hybrid<McSplit> drive{geometry_of(4, 1, 1, 4, 4), hybrid_params(0.5, 4), 32};
};

// docs/algorithms.md, MCS-1.
TEST_F(McSplitExampleTest, ScatteredWritesOfOneChannelMergeTheWholeSuperblock) {
    drive.write({4, 12});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({16});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 16 copies, 8 erases"});
    EXPECT_EQ(drive.ftl.counters().host_pages, 3u);
    EXPECT_EQ(drive.ftl.counters().merge_pages, 16u);
    EXPECT_EQ(drive.ftl.counters().erases, 8u);
    drive.expect_consistent();
}

// docs/algorithms.md, MCS-2.
TEST_F(McSplitExampleTest, SequentialWritesSwitchAndPrefixesMergePartially) {
    drive.write(range(0, 16));
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 0: 0 copies, 4 erases"});
    drive.write(range(16, 21));
    drive.write({0});
    EXPECT_EQ(drive.merges(), (Lines{"merge switch of 0: 0 copies, 4 erases",
                                     "merge partial of 1: 11 copies, 4 erases"}));
    EXPECT_EQ(drive.ftl.counters().host_pages, 22u);
    EXPECT_EQ(drive.ftl.counters().merge_pages, 11u);
    EXPECT_EQ(drive.ftl.counters().erases, 8u);
    drive.expect_consistent();
}

TEST_F(McSplitExampleTest, AFullColumnMergesThoughTheOthersAreEmpty) {
    drive.write({4, 4, 4, 4});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({8});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 16 copies, 8 erases"});
    drive.expect_consistent();
}

TEST_F(McSplitExampleTest, CopiesStayOnTheirChannelAndEachChannelErasesBehindItsOwn) {
    drive.write({4, 12});
    const FlashOpList ops = drive.write({16});
    const Geometry& geometry = drive.geometry;
    std::size_t copies = 0;
    std::size_t erases = 0;
    for (const FlashOp& op : ops) {
        if (op.after != FlashOp::kNone) {
            const FlashOp& before = ops[static_cast<std::size_t>(op.after)];
            EXPECT_EQ(geometry.die_of(op.page), geometry.die_of(before.page));
        }
        copies += op.copies ? 1 : 0;
        erases += op.kind == FlashOpKind::kErase && op.after != FlashOp::kNone ? 1 : 0;
    }
    EXPECT_EQ(copies, 16u);
    EXPECT_EQ(erases, 8u);
}

/// Reads of data blocks and erases of them among the operations of a merge: what collecting the
/// data blocks takes.
struct DataCost {
    std::size_t copies = 0;
    std::size_t erases = 0;
};

template <typename Ftl>
DataCost data_cost(Hybrid<Ftl>& drive, const std::vector<std::uint64_t>& invalidated,
                   std::uint64_t last) {
    std::set<BlockId> data;
    for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
        data.insert(drive.block_of(lpn));
    }
    drive.write(invalidated);
    DataCost cost;
    for (const FlashOp& op : drive.write({last})) {
        const bool is_data = data.count(drive.geometry.block_of(op.page)) != 0;
        cost.copies += is_data && op.kind == FlashOpKind::kRead ? 1 : 0;
        cost.erases += is_data && op.kind == FlashOpKind::kErase ? 1 : 0;
    }
    return cost;
}

// CAVE, Fig. 2: two pages of one physical block are invalid. On one channel its two valid pages are
// copied and one block is erased; striped over four channels, with pages 4 and 12 invalid, 14 pages
// and four blocks. The text of the paper says 12 pages, which are those outside channel 0.
TEST_F(McSplitExampleTest, CollectionCostsWhatFigureTwoShows) {
    const DataCost striped = data_cost(drive, {4, 12}, 16);
    EXPECT_EQ(striped.copies, 14u);
    EXPECT_EQ(striped.erases, 4u);
    Hybrid<Bast> single(geometry_of(1, 1, 1, 12, 4), hybrid_params(0.3, 1));
    single.fill(32);
    const DataCost alone = data_cost(single, {1, 3}, 16);
    EXPECT_EQ(alone.copies, 2u);
    EXPECT_EQ(alone.erases, 1u);
}

TEST(McSplitTest, AddressesFixChannelWayDieAndPlane) {
    Geometry geometry = geometry_of(4, 2, 2, 10, 4);
    geometry.dies_per_way = 2;
    FtlParams params = hybrid_params(0.5, 4);
    for (const std::uint32_t stripe : {4u, 2u, 1u}) {
        params.own = McSplitParams{stripe};
        Hybrid<McSplit> drive(geometry, params);
        const std::uint64_t unit = stripe * geometry.pages_per_block;
        for (std::uint64_t lpn = 0; lpn < drive.ftl.logical_pages(); ++lpn) {
            drive.write({lpn});
        }
        const std::uint64_t groups = geometry.channels / stripe;
        for (std::uint64_t lpn = 0; lpn < drive.ftl.logical_pages(); ++lpn) {
            const Ppn place = drive.ftl.location(Lpn{lpn});
            const PlaneId plane = geometry.plane_of(geometry.block_of(place));
            const DieId die = geometry.die_of(plane);
            const std::uint64_t g = lpn / unit;
            const std::uint64_t r = lpn % unit;
            ASSERT_EQ(raw(geometry.channel_of(die)), g % groups * stripe + r % stripe);
            ASSERT_EQ(raw(geometry.way_of(die)), g / groups % 2);
            ASSERT_EQ(geometry.slot_of(die) / geometry.ways, g / groups / 2 % 2);
            ASSERT_EQ(geometry.plane_in_die(plane), g / groups / 4 % 2);
            ASSERT_EQ(geometry.page_in_block(place), r / stripe);
        }
        EXPECT_TRUE(drive.merges().empty());
        drive.expect_consistent();
    }
}

TEST(McSplitTest, LogsAreOfTheWholeDrive) {
    // Two ways: superblocks alternate. Two logs in all.
    Hybrid<McSplit> drive(geometry_of(2, 2, 1, 8, 4), hybrid_params(0.5, 4));
    drive.fill(32);
    drive.write({1, 11, 2, 17}); // superblocks 0, 1, 0, 2
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 8 copies, 4 erases"});
    drive.write({25});
    EXPECT_EQ(drive.merges().back(), "merge full of 0: 8 copies, 4 erases");
    drive.expect_consistent();
}

TEST_F(McSplitExampleTest, TrimmedPagesAreSkippedAndADeadSuperblockIsOnlyErased) {
    drive.write({0});
    drive.trim(5);
    drive.trim(6);
    drive.write({16});
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 13 copies, 4 erases"});
    drive.trim(range(16, 32));
    drive.write({1});
    EXPECT_EQ(drive.merges().back(), "merge full of 1: 0 copies, 8 erases");
    EXPECT_EQ(drive.ftl.mapped_pages(), 14u);
    drive.expect_consistent();
    drive.write({29});
    EXPECT_EQ(drive.page_in_block(29), 3u); // in place again
    drive.expect_consistent();
}

// The second superblock exists by half: its pages beyond the drive are never copied, and its
// log is never complete.
TEST(McSplitTest, ASuperblockThatTheDriveCutsOffIsMergedPartially) {
    Hybrid<McSplit> drive(geometry_of(4, 1, 1, 4, 4), hybrid_params(0.625, 4));
    ASSERT_EQ(drive.ftl.logical_pages(), 24u);
    drive.fill(24);
    drive.write(range(16, 24));
    drive.write({0});
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 1: 0 copies, 4 erases"});
    drive.expect_consistent();
}

TEST(McSplitTest, FitsSaysWhatWouldBeRight) {
    const Geometry geometry = geometry_of(4, 2, 1, 40, 4);
    EXPECT_EQ(mcsplit_why_not(geometry, hybrid_params(0.1, 12)), std::nullopt);
    EXPECT_EQ(mcsplit_why_not(geometry, hybrid_params(0.1, 3)).value_or(""),
              "ftl.log_blocks = 3 makes no superblock of 4; at least 4");
    EXPECT_EQ(mcsplit_why_not(geometry, hybrid_params(0.1, 16)).value_or(""),
              "ftl.overprovision leaves 4 spare blocks per plane of 40; 5 are needed "
              "(ftl.log_blocks / stripe + 1), a share of at least 0.1250");
    EXPECT_EQ(mcsplit_why_not(geometry, hybrid_params(0.125, 16)), std::nullopt);
    FtlParams params = hybrid_params(0.1, 12);
    params.own = McSplitParams{3};
    EXPECT_EQ(mcsplit_why_not(geometry, params).value_or(""),
              "ftl.mcsplit.stripe = 3 does not divide the 4 channels; a divisor of them, or 0 for "
              "all");
    params.own = McSplitParams{8};
    EXPECT_NE(mcsplit_why_not(geometry, params), std::nullopt);
}

TEST_F(McSplitExampleTest, PagesBeyondTheDriveAreRefused) {
    drive.expect_beyond_the_drive(32);
}

} // namespace
} // namespace cavern
