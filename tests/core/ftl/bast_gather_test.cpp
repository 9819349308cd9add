// BAST with blocks that gather on a new die instead of moving there.
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

FtlParams gathering(FtlParams params, bool gather = true) {
    params.gather = gather;
    return params;
}

/// Two dies of six blocks of four pages, a log block each. Logical block 0 lies on die 0 (page 0
/// on), 1 on die 1 (page 24 on).
struct TwoDies : Hybrid<Bast> {
    explicit TwoDies(bool gather = true, bool strict = false)
        : Hybrid(geometry_of(2, 1, 1, 6, 4), gathering(half_exported(2, strict, true), gather)) {
        fill(4);
        fill_from(4, 8, PlaneId{1});
    }
};

// docs/algorithms.md, RR-3.
TEST(BastGatherTest, ABlockMeetsOnTheNewDieWhenItIsMerged) {
    TwoDies drive;
    // Block 0 on die 1: nothing moves, its log is there.
    EXPECT_EQ(testing::text_of(drive.write_unit({1, 3}, PlaneId{1})),
              (Lines{"program host page 28 lpn 1", "program host page 29 lpn 3"}));
    // It has a log now, wherever its turn is.
    EXPECT_EQ(testing::text_of(drive.write_unit({2}, PlaneId{0})),
              Lines{"program host page 30 lpn 2"});
    EXPECT_EQ(drive.plane_of(0), PlaneId{0});
    drive.expect_consistent();
    // Block 1 wants the one log of die 1: block 0 is merged, and lies on die 1 as a whole.
    EXPECT_EQ(testing::text_of(drive.write_unit({4}, PlaneId{1})),
              (Lines{"read merge page 0 lpn 0", "program merge page 32 lpn 0 after 0 copies",
                     "read merge page 28 lpn 1", "program merge page 33 lpn 1 after 2 copies",
                     "read merge page 30 lpn 2", "program merge page 34 lpn 2 after 4 copies",
                     "read merge page 29 lpn 3", "program merge page 35 lpn 3 after 6 copies",
                     "erase merge page 0 after 7", "erase merge page 28 after 7",
                     "program host page 36 lpn 4"}));
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 4 copies, 2 erases"});
    const FtlCounters& count = drive.ftl.counters();
    EXPECT_EQ(count.host_pages, 4u);
    EXPECT_EQ(count.merge_pages, 4u);
    EXPECT_EQ(count.moved_pages, 0u);
    EXPECT_EQ(count.erases, 2u);
    drive.expect_consistent();
}

// The control: where blocks move, the same writes cost two moves, and pages of them.
TEST(BastGatherTest, MovesCostMoreForTheSameWrites) {
    TwoDies drive(false);
    drive.write_unit({1, 3}, PlaneId{1});
    drive.write_unit({2}, PlaneId{0});
    EXPECT_EQ(drive.merges(), (Lines{"merge full of 0: 2 copies, 1 erases",
                                     "merge full of 0: 3 copies, 1 erases"}));
    EXPECT_EQ(drive.ftl.counters().moved_pages, 5u);
}

TEST(BastGatherTest, ABlockWrittenWholeIsOnTheNewDieWithoutACopy) {
    for (const bool strict : {false, true}) {
        TwoDies drive(true, strict);
        EXPECT_EQ(testing::text_of(drive.write_unit({0, 1, 2, 3}, PlaneId{1})),
                  (Lines{"program host page 28 lpn 0", "program host page 29 lpn 1",
                         "program host page 30 lpn 2", "program host page 31 lpn 3",
                         "erase merge page 0"}));
        EXPECT_EQ(drive.merges(), Lines{"merge switch of 0: 0 copies, 1 erases"});
        EXPECT_EQ(drive.plane_of(0), PlaneId{1});
        drive.expect_consistent();
    }
}

TEST(BastGatherTest, APrefixOnTheNewDieIsCompletedFromTheOld) {
    TwoDies drive;
    drive.write_unit({0, 1}, PlaneId{1});
    EXPECT_EQ(testing::text_of(drive.write_unit({5}, PlaneId{1})),
              (Lines{"read merge page 2 lpn 2", "program merge page 30 lpn 2 after 0 copies",
                     "read merge page 3 lpn 3", "program merge page 31 lpn 3 after 2 copies",
                     "erase merge page 0 after 3", "program host page 32 lpn 5"}));
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 2 copies, 1 erases"});
    drive.expect_consistent();
}

TEST(BastGatherTest, AFullLogIsMergedWhereItIsAndTheNextGoesToTheTurn) {
    TwoDies drive;
    drive.write_unit({1, 2}, PlaneId{1});
    drive.write_unit({1, 2}, PlaneId{1}); // full
    drive.write_unit({3}, PlaneId{0});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 4 copies, 2 erases"});
    EXPECT_EQ(drive.plane_of(0), PlaneId{1}); // merged there
    EXPECT_EQ(drive.plane_of(3), PlaneId{0}); // the new log
    drive.expect_consistent();
}

TEST(BastGatherTest, PagesAreWrittenInPlaceWhileTheyAscendWhoseTurnItMayBe) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), gathering(half_exported(2, false, true)));
    drive.write_unit({0}, PlaneId{0});
    drive.write_unit({2}, PlaneId{1});
    EXPECT_EQ(drive.ftl.location(Lpn{2}), Ppn{2});
    drive.write_unit({1}, PlaneId{1}); // behind page 2: a log
    EXPECT_EQ(drive.plane_of(1), PlaneId{1});
    drive.expect_consistent();
}

TEST(BastGatherTest, TheDieOfAPageIsKnownWhereNoLogIsOpenedForIt) {
    TwoDies drive;
    const Bast& ftl = drive.ftl;
    EXPECT_EQ(ftl.destination(Lpn{1}, DieId{1}), DieId{1}); // a new log
    EXPECT_EQ(ftl.destination(Lpn{1}, std::nullopt), std::nullopt);
    drive.write_unit({1}, PlaneId{1});
    EXPECT_EQ(ftl.destination(Lpn{1}, DieId{0}), DieId{1}); // the log it has
    drive.write_unit({1, 2, 3}, PlaneId{1});
    EXPECT_EQ(ftl.destination(Lpn{1}, DieId{0}), DieId{0}); // which is full
    drive.write_unit({8}, PlaneId{1});
    EXPECT_EQ(ftl.destination(Lpn{9}, DieId{0}), DieId{1}); // in place
    EXPECT_EQ(ftl.destination(Lpn{8}, DieId{0}), DieId{0});
    EXPECT_EQ(ftl.destination(Lpn{16}, DieId{0}), DieId{0}); // nothing there yet
}

TEST(BastGatherTest, ABlockTrimmedAltogetherGivesBackBothDies) {
    TwoDies drive;
    drive.write_unit({1}, PlaneId{1});
    drive.trim(range(0, 4));
    EXPECT_EQ(testing::text_of(drive.write_unit({5}, PlaneId{1})),
              (Lines{"erase merge page 28", "erase merge page 0", "program host page 32 lpn 5"}));
    drive.expect_consistent();
    // A log of trimmed pages alone; the data stay where they are.
    TwoDies other;
    other.write_unit({1}, PlaneId{1});
    other.trim(1);
    other.write_unit({5}, PlaneId{1});
    EXPECT_EQ(other.plane_of(2), PlaneId{0});
    other.expect_consistent();
}

// Of twelve blocks two are for logs, two to merge into: eight for data, and all of them exported.
TEST(BastGatherTest, WithoutABlockToSpareLogsStayBesideTheirData) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), gathering(hybrid_params(1.0 / 3, 2)));
    ASSERT_EQ(drive.ftl.logical_pages(), 32u);
    drive.fill(4);
    EXPECT_FALSE(drive.ftl.has_room(PlaneId{1}, Lpn{0}));
    EXPECT_TRUE(drive.ftl.has_room(PlaneId{0}, Lpn{0}));
    drive.write_unit({1}, PlaneId{1});
    EXPECT_EQ(drive.plane_of(1), PlaneId{0});
    for (std::uint64_t block = 1; block < 8; ++block) {
        drive.write_unit({block * 4}, PlaneId{block < 4 ? 0u : 1u});
    }
    drive.expect_consistent();
}

// The same with one logical block less: one log may be away, and the eighth block finds room.
TEST(BastGatherTest, LogsAwayLeaveRoomForTheBlocksStillToCome) {
    Hybrid<Bast> drive(geometry_of(2, 1, 1, 6, 4), gathering(hybrid_params(0.41, 2)));
    ASSERT_EQ(drive.ftl.logical_pages(), 28u);
    drive.fill(4);
    drive.fill_from(4, 8, PlaneId{1});
    drive.write_unit({1}, PlaneId{1});
    EXPECT_EQ(drive.plane_of(1), PlaneId{1});
    EXPECT_FALSE(drive.ftl.has_room(PlaneId{0}, Lpn{4})); // it has room, but not for this
    drive.write_unit({5}, PlaneId{0});
    EXPECT_EQ(drive.plane_of(5), PlaneId{1});
    for (std::uint64_t block = 2; block < 7; ++block) {
        const PlaneId target =
            drive.ftl.has_room(PlaneId{0}, Lpn{block * 4}) ? PlaneId{0} : PlaneId{1};
        drive.write_unit({block * 4}, target);
    }
    drive.expect_consistent();
}

TEST(BastGatherTest, DamagedStateIsFound) {
    const auto found = [](const std::function<void(Bast&)>& damage) {
        TwoDies drive;
        drive.write_unit({1}, PlaneId{1});
        drive.write_unit({5}, PlaneId{0});
        damage(drive.ftl);
        return drive.is_damaged();
    };
    using Probe = BlockLogFtlProbe;
    EXPECT_FALSE(found([](Bast&) {}));
    EXPECT_TRUE(found([](Bast& f) { Probe::miscount(f, PlaneId{1}); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::miscount_away(f); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::swap_logs(f, 0, 1); }));
    EXPECT_TRUE(found([](Bast& f) { Probe::swap_data(f, 0, 1); }));
}

} // namespace
} // namespace cavern
