#include "core/ftl/subgroup.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/ftl/hybrid_fixture.h"

namespace cavern {

/// Damages a layer, for the tests that expect the damage to be found.
struct SubGroupProbe {
    static void map(SubGroup& f, Lpn lpn) { f.mapped().insert(raw(lpn)); }
    static void move(SubGroup& f, std::uint32_t area, std::uint32_t offset) {
        ++f.map_[area * f.unit_pages() + offset];
    }
    static void share_data(SubGroup& f) { f.data_[0] = f.data_[1]; }
    static void forget_data(SubGroup& f, std::uint32_t column) { f.data_[column] = 0; }
    static void share_area(SubGroup& f) { f.area_of_[1] = f.area_of_[0]; }
    static void miscount(SubGroup& f) { ++f.areas_used_; }
    static void leak(SubGroup& f) { (void)f.store().take_anywhere(); }
};

namespace {

using testing::geometry_of;
using testing::Hybrid;
using testing::hybrid_params;
using testing::Lines;
using testing::range;
using testing::text_of;

FtlParams params_of(std::uint32_t blocks, std::uint32_t areas, bool strict = false) {
    FtlParams params = hybrid_params(0.75, areas * blocks);
    params.own = SubGroupParams{blocks};
    params.strict_order = strict;
    return params;
}

/// Four dies of blocks of four pages; two superblocks of four blocks, the first `filled` of which
/// are written in place.
struct Small : Hybrid<SubGroup> {
    explicit Small(std::uint32_t filled = 1, const FtlParams& params = params_of(4, 2))
        : Hybrid(geometry_of(4, 1, 1, 8, 4), params, std::uint64_t{16} * filled) {}
    [[nodiscard]] std::uint32_t die(std::uint64_t lpn) const {
        return raw(geometry.die_of(ftl.location(Lpn{lpn})));
    }
};

// docs/algorithms.md, SG-1: S = 4, Np = 4, one superblock, preconditioned.
TEST(SubGroupTest, MergesAreThoseOfTheExample) {
    Small drive;
    drive.write({0, 1, 2, 3, 0, 1, 0, 1, 0, 1, 0, 1});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({0});
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 1 copies, 2 erases"});
    drive.write({4, 5, 6, 7});
    EXPECT_EQ(drive.merges().size(), 1u);
    drive.write({8});
    EXPECT_EQ(drive.merges(), (Lines{"merge partial of 0: 1 copies, 2 erases",
                                     "merge full of 0: 16 copies, 8 erases"}));
    const FtlCounters& count = drive.ftl.counters();
    EXPECT_EQ(count.host_pages, 18u);
    EXPECT_EQ(count.merge_pages, 17u);
    EXPECT_EQ(count.erases, 10u);
    EXPECT_EQ(count.merges_switch, 0u);
    EXPECT_EQ(count.merges_partial, 1u);
    EXPECT_EQ(count.merges_full, 1u);
    drive.expect_consistent();
}

TEST(SubGroupTest, PagesLieInStripesAndUpdatesInHalves) {
    Small drive(2);
    for (std::uint64_t lpn = 0; lpn < 32; ++lpn) {
        EXPECT_EQ(drive.die(lpn), lpn % 4);
    }
    drive.write({5, 5, 6, 6}); // cold, hot, cold, hot
    EXPECT_EQ(drive.die(5), 2u);
    EXPECT_EQ(drive.die(6), 3u);
    drive.write({7, 8, 9});
    EXPECT_EQ(drive.die(7), 0u);
    EXPECT_EQ(drive.die(8), 1u);
    drive.write({20, 20}); // the second superblock has its halves on the other sides
    EXPECT_EQ(drive.die(20), 0u);
    drive.expect_consistent();
}

TEST(SubGroupTest, AHotMergeMovesWhatIsValidRowByRow) {
    Small drive;
    drive.write({0, 1, 2, 0, 1, 2, 2, 2, 2, 2, 2}); // hot: 0 1 2 2 2 2 2 2
    EXPECT_EQ(text_of(drive.write({2})),
              (Lines{"read merge page 68 lpn 0", "program merge page 72 lpn 0 after 0 copies",
                     "read merge page 100 lpn 1", "program merge page 104 lpn 1 after 2 copies",
                     "program host page 73 lpn 2", "erase merge page 68", "erase merge page 100"}));
    drive.expect_consistent();
}

// The page at hand does not count; one more than half does.
TEST(SubGroupTest, AHotSubGroupMoreThanHalfValidIsMergedWithItsSuperblock) {
    Small half;
    half.write({0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 4, 4, 4});
    half.write({4});
    EXPECT_EQ(half.merges(), Lines{"merge partial of 0: 4 copies, 2 erases"});
    half.expect_consistent();
    Small more;
    more.write({0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 4, 4, 4});
    more.write({1});
    EXPECT_EQ(more.merges(), Lines{"merge partial of 0: 4 copies, 2 erases"});
    more.write({5, 5, 4, 4, 0}); // hot: 0 2 3 4 1 5 4 4
    EXPECT_EQ(more.merges().back(), "merge full of 0: 16 copies, 8 erases");
    more.expect_consistent();
}

TEST(SubGroupTest, TheLeastRecentlyWrittenAreaGivesWay) {
    Small drive(2, params_of(4, 1));
    drive.write({1});
    drive.write({17});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 16 copies, 6 erases"});
    drive.write({18, 1});
    EXPECT_EQ(drive.merges().back(), "merge full of 1: 16 copies, 6 erases");
    drive.expect_consistent();
}

TEST(SubGroupTest, FirstTouchIsInPlaceWhileThePagesOfABlockAscend) {
    Small drive(0);
    drive.write({0, 8});
    EXPECT_EQ(drive.ftl.location(Lpn{8}), Ppn{2});
    drive.write({1, 4}); // 4 was skipped in its block
    EXPECT_EQ(drive.die(1), 1u);
    EXPECT_EQ(drive.die(4), 0u);
    EXPECT_EQ(drive.page_in_block(4), 0u);
    drive.write({2}); // in place it would fit, but there is an area now
    EXPECT_EQ(drive.die(2), 1u);
    drive.expect_consistent();
}

TEST(SubGroupTest, StrictOrderFillsTheHolesOfAMerge) {
    Small drive(0, params_of(4, 1, true));
    drive.write({4, 12}); // not in place: pages may not be skipped
    drive.write({16, 20, 16});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 2 copies, 2 erases"});
    EXPECT_EQ(drive.ftl.counters().padding_pages, 2u);
    drive.expect_consistent();
}

TEST(SubGroupTest, TrimmedPagesAreNotCopiedAndASuperblockOfThemGivesBackItsBlocks) {
    Small drive(2, params_of(4, 1));
    drive.write({1, 2});
    drive.trim(1);
    drive.trim(9);
    drive.write({17});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 14 copies, 6 erases"});
    EXPECT_EQ(drive.ftl.location(Lpn{1}), kNoPpn);
    drive.trim(range(16, 32));
    drive.write({2});
    EXPECT_EQ(drive.merges().back(), "merge full of 1: 0 copies, 6 erases");
    drive.expect_consistent();
    drive.write({19}); // starts anew, in place
    EXPECT_EQ(drive.die(19), 3u);
    drive.expect_consistent();
}

// Trimmed, a page is cold again.
TEST(SubGroupTest, ATrimmedPageIsCold) {
    Small drive;
    drive.write({5, 5});
    EXPECT_EQ(drive.die(5), 2u);
    drive.trim(5);
    drive.write({5});
    EXPECT_EQ(drive.die(5), 1u);
    drive.expect_consistent();
}

TEST(SubGroupTest, FitsSaysWhatWouldBeRight) {
    const Geometry geometry = geometry_of(2, 2, 1, 25, 4);
    FtlParams params = hybrid_params(0.2, 16);
    params.own = SubGroupParams{4};
    EXPECT_EQ(subgroup_why_not(geometry, params), std::nullopt);
    params.log_blocks = 20;
    EXPECT_EQ(subgroup_why_not(geometry, params).value_or(""),
              "ftl.overprovision leaves 20 spare blocks of 100; 24 are needed (update areas and a "
              "superblock to merge into), a share of at least 0.2400");
    params.own = SubGroupParams{3};
    EXPECT_EQ(subgroup_why_not(geometry, params).value_or(""),
              "ftl.subgroup.blocks = 3 has no halves for hot and cold pages; an even number");
    params.own = SubGroupParams{32};
    EXPECT_EQ(subgroup_why_not(geometry, params).value_or(""),
              "ftl.log_blocks = 20 makes no update area of 32; at least 32");
    EXPECT_THROW(SubGroup(geometry, params, nullptr), ModelError);
}

TEST(SubGroupTest, DamagedStateIsFound) {
    const auto found = [](const std::function<void(SubGroup&)>& damage) {
        Small drive;
        drive.write({5, 5, 6});
        damage(drive.ftl);
        return drive.is_damaged();
    };
    using Probe = SubGroupProbe;
    EXPECT_FALSE(found([](SubGroup&) {}));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::map(f, Lpn{17}); }));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::move(f, 0, 5); }));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::share_data(f); }));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::forget_data(f, 2); }));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::share_area(f); }));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::miscount(f); }));
    EXPECT_TRUE(found([](SubGroup& f) { Probe::leak(f); }));
}

} // namespace
} // namespace cavern
