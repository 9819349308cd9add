#include "core/ftl/bast.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/ftl/block_log_ftl_probe.h"
#include "tests/core/ftl/hybrid_fixture.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::half_exported;
using testing::Hybrid;
using testing::hybrid_params;
using testing::Lines;
using testing::range;

/// `logs` blocks are log blocks.
FtlParams params_of(std::uint32_t logs, bool strict = false, bool eager = true) {
    return half_exported(logs, strict, eager);
}

// docs/algorithms.md, BAST-1: Np = 4, L = 2, logical blocks 0 .. 2 preconditioned.
TEST(BastTest, MergesAreThoseOfTheExample) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(2));
    drive.fill(12);
    drive.write({0, 1, 2, 3, 4, 5, 9, 8, 6});
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 0: 0 copies, 1 erases"});
    drive.write({2});
    EXPECT_EQ(drive.merges().back(), "merge full of 2: 4 copies, 2 erases");
    drive.write({10});
    EXPECT_EQ(drive.merges(),
              (Lines{"merge switch of 0: 0 copies, 1 erases", "merge full of 2: 4 copies, 2 erases",
                     "merge partial of 1: 1 copies, 1 erases"}));
    const FtlCounters& count = drive.ftl.counters();
    EXPECT_EQ(count.host_pages, 11u);
    EXPECT_EQ(count.merge_pages, 5u);
    EXPECT_EQ(count.erases, 4u);
    EXPECT_EQ(count.merges_switch, 1u);
    EXPECT_EQ(count.merges_partial, 1u);
    EXPECT_EQ(count.merges_full, 1u);
    drive.expect_consistent();
}

// docs/algorithms.md, RR-2: offsets 0 .. 3 valid, no log block, offsets 1 and 3 written elsewhere.
TEST(BastTest, ABlockWrittenOnAnotherDieMovesThere) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), params_of(2));
    drive.fill(4);
    const FlashOpList ops = drive.write_unit({1, 3}, PlaneId{1});
    EXPECT_EQ(testing::text_of(ops),
              (Lines{"read merge page 0 lpn 0", "program merge page 24 lpn 0 after 0 copies",
                     "program host page 25 lpn 1", "read merge page 2 lpn 2",
                     "program merge page 26 lpn 2 after 3 copies", "program host page 27 lpn 3",
                     "erase merge page 0 after 5"}));
    EXPECT_EQ(drive.ftl.counters().host_pages, 2u);
    EXPECT_EQ(drive.ftl.counters().merge_pages, 2u);
    EXPECT_EQ(drive.ftl.counters().moved_pages, 2u);
    EXPECT_EQ(drive.ftl.counters().erases, 1u);
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 2 copies, 1 erases"});
    drive.expect_consistent();
}

TEST(BastTest, AMoveTakesTheNewestPagesAndErasesTheLogToo) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), params_of(2));
    drive.fill(4);
    drive.write({2, 0}); // logged at pages 4 and 5
    const FlashOpList ops = drive.write_unit({3}, PlaneId{1});
    EXPECT_EQ(testing::text_of(ops),
              (Lines{"read merge page 5 lpn 0", "program merge page 24 lpn 0 after 0 copies",
                     "read merge page 1 lpn 1", "program merge page 25 lpn 1 after 2 copies",
                     "read merge page 4 lpn 2", "program merge page 26 lpn 2 after 4 copies",
                     "program host page 27 lpn 3", "erase merge page 0 after 6",
                     "erase merge page 4 after 6"}));
    drive.expect_consistent();
    // Back again, written whole: nothing to copy.
    EXPECT_EQ(drive.write_unit({0, 1, 2, 3}, PlaneId{0}).size(), 5u);
    EXPECT_EQ(drive.ftl.counters().moved_pages, 3u);
    drive.expect_consistent();
}

TEST(BastTest, PaddingOfAMoveIsNoCopyOfTheMerge) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), params_of(2));
    drive.fill(2);
    const std::vector<UnitPage> unit{
        {Lpn{0}, PlaneId{1}, true}, {Lpn{1}, PlaneId{1}, false}, {Lpn{2}, PlaneId{1}, true}};
    EXPECT_EQ(testing::text_of(drive.write_unit(unit)),
              (Lines{"read padding page 0 lpn 0", "program padding page 24 lpn 0 after 0 copies",
                     "program host page 25 lpn 1", "program padding page 26 lpn 2",
                     "erase merge page 0 after 3"}));
    EXPECT_EQ(drive.ftl.counters().padding_pages, 2u);
    EXPECT_EQ(drive.ftl.counters().moved_pages, 0u);
    EXPECT_NE(drive.ftl.location(Lpn{2}), kNoPpn); // zeros that are there now
    drive.expect_consistent();
}

TEST(BastTest, TargetsOnTheSameDieDoNotMoveABlock) {
    Hybrid<Bast> drive(geometry_of(2, 1, 2, 6, 4), params_of(4));
    drive.fill(4, PlaneId{1});
    drive.write_unit({1, 2}, PlaneId{0});
    EXPECT_EQ(drive.ftl.counters().merge_pages, 0u);
    EXPECT_EQ(drive.plane_of(1), PlaneId{1});
    drive.expect_consistent();
}

TEST(BastTest, FirstTouchIsInPlaceWhileThePagesAscend) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(2));
    drive.write({0, 2});
    EXPECT_EQ(drive.ftl.location(Lpn{2}), Ppn{2});
    drive.write({1}); // skipped before: to the log
    EXPECT_EQ(drive.ftl.location(Lpn{1}), Ppn{4});
    drive.write({3}); // programmable in place, but the block has a log now
    EXPECT_EQ(drive.ftl.location(Lpn{3}), Ppn{5});
    EXPECT_TRUE(drive.merges().empty());
    drive.expect_consistent();
}

// One log: the next block's write merges. Pages never written are neither copied nor filled.
TEST(BastTest, NeverWrittenPagesAreSkipped) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(1));
    drive.write({1, 3, 1, 4, 4});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 2 copies, 2 erases"});
    EXPECT_EQ(drive.page_in_block(1), 1u);
    EXPECT_EQ(drive.page_in_block(3), 3u);
    EXPECT_EQ(drive.ftl.location(Lpn{0}), kNoPpn);
    EXPECT_EQ(drive.ftl.counters().padding_pages, 0u);
    drive.expect_consistent();
}

TEST(BastTest, StrictOrderFillsTheHolesOfAMerge) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(1, true));
    drive.write({1, 3}); // not in place: page 0 may not be skipped
    EXPECT_EQ(drive.ftl.location(Lpn{1}), Ppn{0});
    const FlashOpList ops = drive.write({5});
    EXPECT_EQ(testing::text_of(ops),
              (Lines{"read merge page 0 lpn 1", "program padding page 4",
                     "program merge page 5 lpn 1 after 0 copies", "read merge page 1 lpn 3",
                     "program padding page 6", "program merge page 7 lpn 3 after 3 copies",
                     "erase merge page 0 after 5", "program host page 8 lpn 5"}));
    EXPECT_EQ(drive.ftl.counters().padding_pages, 2u);
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 2 copies, 1 erases"});
    drive.expect_consistent();
}

TEST(BastTest, ALateSwitchCostsTheSameAtTheNextWrite) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(2, false, false));
    drive.fill(12);
    drive.write({0, 1, 2, 3});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({1});
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 0: 0 copies, 1 erases"});
    drive.write({4, 5, 6, 7, 8}); // the log of 0 is the older one
    EXPECT_EQ(drive.merges().back(), "merge full of 0: 4 copies, 2 erases");
    drive.write({0});
    EXPECT_EQ(drive.merges().back(), "merge switch of 1: 0 copies, 1 erases");
    drive.expect_consistent();
}

// The log written longest ago goes, not the one opened first.
TEST(BastTest, TheLeastRecentlyWrittenLogIsMerged) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(2));
    drive.fill(12);
    drive.write({1, 5, 2, 9});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 4 copies, 2 erases"});
    drive.expect_consistent();
}

TEST(BastTest, EachPlaneHasItsOwnLogs) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 8, 4), params_of(2));
    drive.fill(8);
    drive.fill_from(8, 16, PlaneId{1});
    drive.write_unit({1}, PlaneId{0});
    drive.write_unit({9}, PlaneId{1});
    EXPECT_TRUE(drive.merges().empty());
    drive.write_unit({5}, PlaneId{0});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 4 copies, 2 erases"});
    drive.expect_consistent();
}

TEST(BastTest, TrimmedPagesAreNotCopiedAndAPrefixWithoutThemIsNone) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(1));
    drive.fill(12);
    drive.write({0, 1});
    drive.trim(3);
    drive.write({4});
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 1 copies, 1 erases"});
    drive.write({5});
    drive.trim(4); // logged, and in the prefix
    drive.write({8});
    EXPECT_EQ(drive.merges().back(), "merge full of 1: 3 copies, 2 erases");
    EXPECT_EQ(drive.ftl.location(Lpn{3}), kNoPpn);
    EXPECT_EQ(drive.ftl.location(Lpn{4}), kNoPpn);
    drive.expect_consistent();
}

TEST(BastTest, ABlockTrimmedAltogetherGivesBackItsBlocksAtTheNextMerge) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(1));
    drive.fill(8);
    drive.write({2});
    drive.trim(range(0, 4));
    EXPECT_EQ(drive.ftl.counters().erases, 0u);
    EXPECT_EQ(testing::text_of(drive.write({5})),
              (Lines{"erase merge page 8", "erase merge page 0", "program host page 12 lpn 5"}));
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 0 copies, 2 erases"});
    drive.expect_consistent();
    drive.write({3}); // starts anew, in place
    EXPECT_EQ(drive.page_in_block(3), 3u);
    drive.expect_consistent();
}

TEST(BastTest, ADeadLogIsOnlyErased) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(1));
    drive.fill(8);
    drive.write({2});
    drive.trim(2);
    EXPECT_EQ(testing::text_of(drive.write({5})),
              (Lines{"erase merge page 8", "program host page 12 lpn 5"}));
    EXPECT_EQ(drive.ftl.location(Lpn{1}), Ppn{1});
    drive.expect_consistent();
}

// The write that merges its own full log: trimmed whole, the block starts anew.
TEST(BastTest, AWriteToAFullLogOfABlockTrimmedAltogetherGoesInPlace) {
    for (const bool strict : {false, true}) {
        Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(1, strict));
        drive.fill(4);
        drive.write({1, 1, 1, 1});
        drive.trim(range(0, 4));
        drive.write({2});
        EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 0 copies, 2 erases"});
        EXPECT_EQ(drive.page_in_block(2), strict ? 0u : 2u);
        drive.expect_consistent();
    }
}

TEST(BastTest, RoomIsWhatLogsAndAMergeLeave) {
    // Two dies of six blocks, one log each: four data blocks a die, and six logical blocks.
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), params_of(2));
    for (std::uint64_t block = 0; block < 4; ++block) {
        EXPECT_TRUE(drive.ftl.has_room(PlaneId{0}, Lpn{block * 4}));
        drive.write_unit({block * 4}, PlaneId{0});
    }
    EXPECT_FALSE(drive.ftl.has_room(PlaneId{0}, Lpn{16}));
    EXPECT_TRUE(drive.ftl.has_room(PlaneId{0}, Lpn{13})); // at home there
    EXPECT_TRUE(drive.ftl.has_room(PlaneId{1}, Lpn{16}));
    EXPECT_THROW(drive.write_unit({16}, PlaneId{0}), ModelError);
    drive.write_unit({0}, PlaneId{1}); // moves away
    EXPECT_TRUE(drive.ftl.has_room(PlaneId{0}, Lpn{16}));
    drive.expect_consistent();
}

TEST(BastTest, AFullPlaneLeavesItsBlocksToAnotherOfItsDie) {
    Hybrid<Bast> drive(geometry_of(2, 1, 2, 6, 4), params_of(4));
    for (std::uint64_t block = 0; block < 8; ++block) {
        EXPECT_TRUE(drive.ftl.has_room(PlaneId{0}, Lpn{block * 4}));
        drive.write_unit({block * 4}, PlaneId{0});
    }
    EXPECT_FALSE(drive.ftl.has_room(PlaneId{0}, Lpn{32}));
    EXPECT_FALSE(drive.ftl.has_room(PlaneId{1}, Lpn{32}));
    drive.expect_consistent();
}

TEST(BastTest, FitsSaysWhatWouldBeRight) {
    const Geometry geometry = geometry_of(2, 2, 1, 40, 4);
    EXPECT_EQ(bast_why_not(geometry, hybrid_params(0.1, 12)), std::nullopt);
    EXPECT_EQ(bast_why_not(geometry, hybrid_params(0.1, 3)).value_or(""),
              "ftl.log_blocks = 3 leaves no log block for each of 4 planes; at least 4");
    EXPECT_EQ(bast_why_not(geometry, hybrid_params(0.1, 16)).value_or(""),
              "ftl.overprovision leaves 4 spare blocks per plane of 40; 5 are needed "
              "(ftl.log_blocks / planes + 1), a share of at least 0.1250");
    EXPECT_EQ(bast_why_not(geometry, hybrid_params(0.125, 16)), std::nullopt);
    EXPECT_EQ(bast_why_not(geometry, hybrid_params(0.1, 160)).value_or(""),
              "40 blocks per plane are too few for a reserve of 41 (ftl.log_blocks / planes + 1); "
              "at least 42, or a smaller reserve");
    EXPECT_NE(bast_why_not(geometry, hybrid_params(1.0, 4)), std::nullopt);
    EXPECT_NE(bast_why_not(geometry, hybrid_params(0.9999, 4)), std::nullopt);
}

TEST(BastTest, DamagedStateIsFound) {
    const auto found = [](const std::function<void(Bast&)>& damage) {
        Hybrid<Bast> drive(geometry_of(2, 1, 1, 8, 4), params_of(4));
        drive.fill(8);
        drive.fill_from(8, 16, PlaneId{1});
        drive.write({5, 6});
        damage(drive.ftl);
        return drive.is_damaged();
    };
    using Probe = BlockLogFtlProbe;
    EXPECT_FALSE(found([](Bast&) {}));
    EXPECT_TRUE(found([](Bast& f) { Probe::map(f, Lpn{17}); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::swap_data(f, 1, 2); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::share_data(f, 0, 1); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::append_twice(f, 1, 3); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::forget_log(f, 1); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::leak(f, PlaneId{0}); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::free_in_use(f, 0); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::miscount(f, PlaneId{1}); }));
    // A logged page whose entry is lost is taken for the older one in place: only the data tell.
    EXPECT_FALSE(found([](Bast& f) { Probe::drop_from_log(f, 1, 1); }));
}

// 32 dies of 1 GiB with 4096 log blocks, as CAVE has them. A thousand blocks filled and logged.
TEST(BastTest, ADriveCostsTheMemoryOfWhatWasTouched) {
    const std::uint64_t before = testing::resident_bytes();
    Bast ftl(geometry_of(8, 4, 1, 8192, 64), hybrid_params(0.07, 4096), nullptr);
    FlashOpList ops;
    for (std::uint64_t lpn = 0; lpn < 64'000; ++lpn) {
        const PlaneId target{static_cast<std::uint32_t>(lpn / 64 % 32)};
        ops.clear();
        ftl.write(Lpn{lpn}, target, ops);
        ftl.write(Lpn{lpn}, target, ops);
    }
    const std::uint64_t after = testing::resident_bytes();
    EXPECT_EQ(ftl.mapped_pages(), 64'000u);
    if (!testing::kSanitized) {
        EXPECT_LT(after - before, 6u << 20);
    }
}

TEST(BastTest, PagesBeyondTheDriveAreRefused) {
    Hybrid<Bast> drive(geometry_of(1, 1, 1, 6, 4), params_of(2));
    drive.expect_beyond_the_drive(12);
}

} // namespace
} // namespace cavern
