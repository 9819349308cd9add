#include "core/ftl/slc_cache.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nand/nand_array.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/core/ftl/page_ftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {

/// Damages a cache, for the tests that expect the damage to be found.
struct SlcCacheProbe {
    static void forget_newest(SlcCache& f) { --f.regions_[0].used; }
    static void fill_elsewhere(SlcCache& f) { f.regions_[0].next += 4; }
    static void count_valid(SlcCache& f, BlockId block) { f.space_.block(block).valid += 3; }
};

namespace {

using testing::geometry_of;
using testing::Lines;
using testing::page_params;
using testing::RecordingLog;
using testing::text_of;
using testing::write;

// docs/algorithms.md, SLC-1: two blocks of two pages in SLC mode beside eight of four.
class SlcOneTest : public ::testing::Test {
  protected:
    static Geometry shape() {
        Geometry geometry = geometry_of(1, 1, 1, 10, 4);
        geometry.slc_blocks = 2;
        geometry.slc_pages = 2;
        return geometry;
    }
    static FtlParams params(SlcFull when_full, bool idle = true) {
        FtlParams params = page_params(0.5, 1, 2);
        params.own = SlcCacheParams{when_full, idle};
        return params;
    }
    static Lines written(SlcCache& ftl, std::uint64_t lpn) { return text_of(write(ftl, lpn)); }
    static std::uint64_t of_its_own(const SlcCache& ftl, const char* name) {
        return ftl.own_counters().value_of(name);
    }

    RecordingLog log;
    SlcCache ftl{shape(), params(SlcFull::kFold), &log};
};

TEST_F(SlcOneTest, OperationsAreThoseOfTheExample) {
    EXPECT_EQ(written(ftl, 0), Lines{"program host page 0 lpn 0"});
    EXPECT_EQ(written(ftl, 1), Lines{"program host page 1 lpn 1"});
    EXPECT_EQ(written(ftl, 0), Lines{"program host page 4 lpn 0"});
    EXPECT_EQ(written(ftl, 2),
              (Lines{"read fold page 1 lpn 1", "program fold page 8 lpn 1 after 0 copies",
                     "erase fold page 0 after 1", "program host page 5 lpn 2"}));
    EXPECT_EQ(written(ftl, 3), Lines{"program host page 0 lpn 3"});
    EXPECT_EQ(written(ftl, 0),
              (Lines{"read fold page 4 lpn 0", "program fold page 9 lpn 0 after 0 copies",
                     "program host page 1 lpn 0"}));
    EXPECT_EQ(written(ftl, 4),
              (Lines{"read fold page 5 lpn 2", "program fold page 10 lpn 2 after 0 copies",
                     "erase fold page 4 after 1", "program host page 4 lpn 4"}));
    EXPECT_EQ(ftl.counters().host_pages, 7u);
    EXPECT_EQ(of_its_own(ftl, "slc_pages"), 7u);
    EXPECT_EQ(of_its_own(ftl, "fold_pages"), 3u);
    EXPECT_EQ(of_its_own(ftl, "folds"), 2u);
    EXPECT_EQ(ftl.counters().erases, 2u);
    EXPECT_EQ(ftl.programs(), 10u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST_F(SlcOneTest, HostPagesGoPastFullBlocksWhereTheyMay) {
    SlcCache bypass(shape(), params(SlcFull::kBypass), &log);
    for (const std::uint64_t lpn : {0, 1, 0, 2}) {
        (void)write(bypass, lpn);
    }
    EXPECT_EQ(written(bypass, 3), Lines{"program host page 8 lpn 3"});
    EXPECT_EQ(bypass.counters().host_pages, 5u);
    EXPECT_EQ(of_its_own(bypass, "slc_pages"), 4u);
    EXPECT_EQ(of_its_own(bypass, "fold_pages"), 0u);
    EXPECT_GT(bypass.check_invariants(), 0u);
}

TEST_F(SlcOneTest, IdleDiesEmptyAllButTheBlockBeingFilled) {
    for (const std::uint64_t lpn : {0, 1, 5}) {
        (void)write(ftl, lpn);
    }
    FlashOpList ops;
    EXPECT_TRUE(ftl.maintains());
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(text_of(ops),
              (Lines{"read fold page 0 lpn 0", "program fold page 8 lpn 0 after 0 copies"}));
    ops.clear();
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(text_of(ops),
              (Lines{"read fold page 1 lpn 1", "program fold page 9 lpn 1 after 0 copies",
                     "erase fold page 0 after 1"}));
    ops.clear();
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops)); // page 4 is being filled
    EXPECT_TRUE(ops.empty());

    SlcCache lazy(shape(), params(SlcFull::kFold, false), nullptr);
    for (const std::uint64_t lpn : {0, 1, 5}) {
        (void)write(lazy, lpn);
    }
    EXPECT_FALSE(lazy.maintains());
    EXPECT_FALSE(lazy.maintain(PlaneId{0}, 1, ops));
}

TEST_F(SlcOneTest, WhatIsTrimmedIsNotMoved) {
    for (const std::uint64_t lpn : {0, 1, 5}) {
        (void)write(ftl, lpn);
    }
    FlashOpList ops;
    ftl.trim(Lpn{0}, ops);
    ftl.trim(Lpn{1}, ops);
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 4, ops));
    EXPECT_EQ(text_of(ops), Lines{"erase fold page 0"});
}

TEST_F(SlcOneTest, ExportsAShareOfTheOtherBlocks) {
    EXPECT_EQ(ftl.logical_pages(), 16u); // half of eight blocks of four
}

// Sixteen pages of the host fill four of eight blocks; what lies in SLC mode needs its room there.
TEST_F(SlcOneTest, ThePlaneKeepsRoomForWhatIsToBeMoved) {
    for (int round = 0; round < 20; ++round) {
        for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
            ASSERT_TRUE(ftl.has_room(PlaneId{0}, Lpn{lpn}));
            (void)write(ftl, (lpn * 5 + static_cast<std::uint64_t>(round)) % 16);
            ftl.check_invariants();
        }
    }
    EXPECT_EQ(ftl.mapped_pages(), 16u);
}

TEST_F(SlcOneTest, ABlockInSlcModeHasNoFurtherPages) {
    NandArray array(shape(), false);
    array.program(Ppn{0}, Lpn{0});
    array.program(Ppn{1}, Lpn{1});
    EXPECT_THROW(array.program(Ppn{2}, Lpn{2}), ModelError);
    array.program(Ppn{8}, Lpn{3});
    array.program(Ppn{9}, Lpn{4});
    array.program(Ppn{10}, Lpn{5}); // of all bits
}

TEST_F(SlcOneTest, DamageIsFound) {
    const auto is_found = [&](void (*damage)(SlcCache&)) {
        SlcCache damaged(shape(), params(SlcFull::kFold), nullptr);
        for (const std::uint64_t lpn : {0, 1, 5}) {
            (void)write(damaged, lpn);
        }
        damaged.check_invariants();
        damage(damaged);
        EXPECT_THROW(damaged.check_invariants(), ModelError);
    };
    is_found([](SlcCache& f) { SlcCacheProbe::forget_newest(f); });
    is_found([](SlcCache& f) { SlcCacheProbe::fill_elsewhere(f); });
    is_found([](SlcCache& f) { SlcCacheProbe::count_valid(f, BlockId{0}); });
}

TEST_F(SlcOneTest, RefusesDrivesThatCannotWork) {
    const FtlParams fold = params(SlcFull::kFold);
    EXPECT_FALSE(slc_cache_why_not(shape(), fold));
    Geometry one = shape();
    one.slc_blocks = 1;
    EXPECT_TRUE(slc_cache_why_not(one, fold));
    Geometry none_left = shape();
    none_left.slc_blocks = 10;
    EXPECT_TRUE(slc_cache_why_not(none_left, fold));
    Geometry few_left = shape();
    few_left.slc_blocks = 7; // what remains is too little for collection
    EXPECT_TRUE(slc_cache_why_not(few_left, fold));
}

} // namespace
} // namespace cavern
