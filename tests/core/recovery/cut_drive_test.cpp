// Drives whose power is lost again and again, and what happens if a rule is broken.

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ftl/dftl.h"
#include "core/ftl/mcsplit.h"
#include "core/ftl/slc_cache.h"
#include "tests/core/recovery/cut_fixture.h"
#include "tests/support/core_fixtures.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

class CutDriveTestBase : public ::testing::Test {
  protected:
    static void expect_survives(const CutCase& each, std::uint64_t cuts) {
        CutDrive drive = make_drive(each);
        play(drive, each, cuts);
        const RecoveryCounters& counters = drive.cuts().counters();
        EXPECT_EQ(counters.cuts, cuts);
        EXPECT_EQ(counters.lost_flushed, 0u) << drive.cuts().oracle().first_fault();
        EXPECT_EQ(counters.corrupt, 0u) << drive.cuts().oracle().first_fault();
        // The cuts were of the kind that hurts.
        EXPECT_GT(counters.torn_pages, cuts / 4);
        EXPECT_GT(counters.flushed, cuts);
        if (each.parts.policy != "none") {
            EXPECT_GT(counters.lost_unflushed, cuts / 4);
        }
        EXPECT_EQ(counters.acknowledged, counters.recovered + counters.lost_unflushed);
        EXPECT_GT(counters.time, 0u);
        EXPECT_LE(counters.mounts_cut, cuts * each.cuts.cuts_in_mount);
    }
};

class CutDriveTest : public CutDriveTestBase, public ::testing::WithParamInterface<const char*> {};

/// Moments of a mount at which copies, padding and erases are torn; a mount that only erases has
/// few.
TEST_P(CutDriveTest, ComesBackThoughThePowerGoesAgainAndAgain) {
    CutCase each = small_case(GetParam());
    each.cuts.cuts_in_mount = 20;
    CutDrive drive = make_drive(each);
    play(drive, each, 60);
    const RecoveryCounters& counters = drive.cuts().counters();
    EXPECT_EQ(counters.lost_flushed + counters.corrupt, 0u) << drive.cuts().oracle().first_fault();
    EXPECT_GT(counters.mounts_cut, 10u);
    EXPECT_LE(counters.mounts_cut, 60u * 20);
}

TEST_P(CutDriveTest, KeepsWhatWasFlushed) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        CutCase each = small_case(GetParam());
        each.seed = each.cuts.seed = seed;
        each.cuts.cuts_in_mount = seed > 4 ? 3 : 0;
        expect_survives(each, 60);
    }
}

struct Variant {
    const char* name;
    const char* ftl;
    void (*change)(CutCase&);
};
void PrintTo(const Variant& each, std::ostream* out) {
    *out << each.name;
}

class CutVariantTest : public CutDriveTestBase, public ::testing::WithParamInterface<Variant> {};

TEST_P(CutVariantTest, KeepsWhatWasFlushed) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        CutCase each = small_case(GetParam().ftl);
        GetParam().change(each);
        each.seed = each.cuts.seed = seed;
        each.cuts.cuts_in_mount = seed > 3 ? 3 : 0;
        expect_survives(each, 50);
    }
}

const Variant kVariants[] = {
    {"PageWriteThrough", "page", [](CutCase& c) { c.parts.policy = "none"; }},
    {"PageBlocks", "page",
     [](CutCase& c) {
         c.parts.policy = "bplru";
         c.parts.frames = 32;
     }},
    {"PageAnywhere", "page",
     [](CutCase& c) {
         c.parts.allocator = "block-round-robin";
         c.parts.rr_mode = RoundRobinMode::kFree;
         c.parts.policy = "lru-block";
         c.parts.geometry = geometry_of(4, 2, 1, 12, 4);
         c.cuts.under_way = 200;
     }},
    {"PageUnits", "page",
     [](CutCase& c) {
         c.parts.geometry.page_bytes = 4096;
         c.parts.geometry = c.parts.geometry.in_units(2048);
         c.parts.geometry.blocks_per_plane = 20;
     }},
    {"DftlWearRefresh", "dftl",
     [](CutCase& c) {
         c.parts.geometry.blocks_per_plane = 28;
         c.parts.ftl.wear_leveling = WearLeveling::kStatic;
         c.parts.ftl.wear_threshold = 4;
         c.parts.ftl.refresh_reads = 10;
         c.parts.ftl.refreshes = true;
     }},
    {"PageDies", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_placement = GcPlacement::kDie;
         c.parts.ftl.overprovision = 0.6;
     }},
    {"PageDrive", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_placement = GcPlacement::kDrive;
         c.parts.geometry = geometry_of(2, 1, 2, 24, 8);
         c.parts.ftl.overprovision = 0.6;
     }},
    {"PageDriveInOrder", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_placement = GcPlacement::kDrive;
         c.parts.geometry = geometry_of(4, 1, 1, 24, 6);
         c.parts.ftl.overprovision = 0.6;
         c.parts.ftl.strict_order = true;
         c.cuts.under_way = 200;
     }},
    {"PageDriveUnits", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_placement = GcPlacement::kDrive;
         c.parts.geometry.page_bytes = 4096;
         c.parts.geometry = c.parts.geometry.in_units(2048);
         c.parts.geometry.blocks_per_plane = 24;
         c.parts.ftl.overprovision = 0.6;
     }},
    {"PageDriveBackground", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_placement = GcPlacement::kDrive;
         c.parts.ftl.gc_background = 5;
         c.parts.ftl.gc_pace = GcPace::kPaced;
         c.parts.geometry.blocks_per_plane = 24;
         c.parts.ftl.overprovision = 0.6;
     }},
    {"PageBadBlocks", "page",
     [](CutCase& c) {
         c.parts.ftl.faults.factory_bad = 0.1;
         c.parts.geometry.blocks_per_plane = 24;
     }},
    {"PagePaced", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_pace = GcPace::kPaced;
         c.parts.geometry.blocks_per_plane = 20;
     }},
    {"PageShared", "page", [](CutCase& c) { c.parts.ftl.gc_shared_frontier = true; }},
    {"PageBackground", "page",
     [](CutCase& c) {
         c.parts.ftl.gc_background = 4;
         c.parts.geometry.blocks_per_plane = 20;
     }},
    {"BastBackground", "bast", [](CutCase& c) { c.parts.ftl.gc_background = 1; }},
    {"FastBackground", "fast", [](CutCase& c) { c.parts.ftl.gc_background = 2; }},
    {"DftlBackground", "dftl", [](CutCase& c) { c.parts.ftl.gc_background = 5; }},
    {"PageHotCold", "page",
     [](CutCase& c) {
         c.parts.ftl.hot_cold = true;
         c.parts.geometry.blocks_per_plane = 24;
     }},
    {"PageStaticWear", "page",
     [](CutCase& c) {
         c.parts.ftl.wear_leveling = WearLeveling::kStatic;
         c.parts.ftl.wear_threshold = 3;
         c.parts.geometry.blocks_per_plane = 20;
     }},
    {"PageKept", "page", [](CutCase& c) { c.parts.flush_keep = true; }},
    {"PageReadCache", "page",
     [](CutCase& c) {
         c.parts.cache_reads = true;
         c.parts.flush_keep = true;
     }},
    {"PageManyDies", "page",
     [](CutCase& c) {
         c.parts.geometry = geometry_of(4, 2, 1, 12, 4);
         c.cuts.under_way = 200;
     }},
    {"BastBlocks", "bast",
     [](CutCase& c) {
         c.parts.policy = "lru-block";
         c.parts.rr_mode = RoundRobinMode::kMove;
         c.parts.frames = 32;
     }},
    {"BastGather", "bast",
     [](CutCase& c) {
         c.parts.policy = "lru-block";
         c.parts.rr_mode = RoundRobinMode::kGather;
         c.parts.ftl.gather = true;
     }},
    {"BastInOrder", "bast", [](CutCase& c) { c.parts.ftl.strict_order = true; }},
    {"BastWriteThrough", "bast", [](CutCase& c) { c.parts.policy = "none"; }},
    {"FastBlocks", "fast", [](CutCase& c) { c.parts.policy = "bplru"; }},
    {"FastInOrder", "fast", [](CutCase& c) { c.parts.ftl.strict_order = true; }},
    {"FastWriteThrough", "fast", [](CutCase& c) { c.parts.policy = "none"; }},
    {"FastManyDies", "fast",
     [](CutCase& c) {
         c.parts.geometry = geometry_of(4, 2, 1, 8, 4);
         c.cuts.under_way = 200;
     }},
    {"DftlShim", "dftl",
     [](CutCase& c) {
         c.parts.ftl.own = DftlParams{0, true, false, false, 8};
     }},
    {"DftlPaced", "dftl", [](CutCase& c) { c.parts.ftl.gc_pace = GcPace::kPaced; }},
    {"DftlWriteThrough", "dftl", [](CutCase& c) { c.parts.policy = "none"; }},
    {"McSplitWriteThrough", "mcsplit", [](CutCase& c) { c.parts.policy = "none"; }},
    {"McSplitInOrder", "mcsplit", [](CutCase& c) { c.parts.ftl.strict_order = true; }},
    {"McSplitBackground", "mcsplit", [](CutCase& c) { c.parts.ftl.gc_background = 2; }},
    {"McSplitBlocks", "mcsplit", [](CutCase& c) { c.parts.policy = "bplru"; }},
    {"McSplitHalves", "mcsplit",
     [](CutCase& c) {
         c.parts.geometry = geometry_of(4, 2, 1, 16, 4);
         c.parts.ftl.own = McSplitParams{2};
         c.cuts.under_way = 200;
     }},
    {"BastFull", "bast",
     [](CutCase& c) { // 13 blocks of data of each plane, 2 logs, 1 to merge into
         c.parts.ftl.overprovision = 1.0 - 13.0 / 16;
         c.cuts.under_way = 200;
     }},
    {"FastFull", "fast",
     [](CutCase& c) { // 54 blocks of data, 8 logs, 2 to merge into; so below
         c.parts.ftl.overprovision = 1.0 - 54.0 / 64;
         c.cuts.under_way = 200;
     }},
    {"LastFull", "last",
     [](CutCase& c) {
         c.parts.ftl.overprovision = 1.0 - 54.0 / 64;
         c.cuts.under_way = 200;
     }},
    {"McSplitFull", "mcsplit",
     [](CutCase& c) { // 10 blocks of data, 4 logs and 2 to merge into
         c.parts.ftl.overprovision = 1.0 - 10.0 / 16;
         c.cuts.under_way = 200;
     }},
    {"SlcWriteThrough", "slc-cache", [](CutCase& c) { c.parts.policy = "none"; }},
    {"SlcBypassed", "slc-cache",
     [](CutCase& c) {
         c.parts.ftl.own = SlcCacheParams{SlcFull::kBypass, true};
     }},
    {"SlcOnDemand", "slc-cache",
     [](CutCase& c) {
         c.parts.ftl.own = SlcCacheParams{SlcFull::kFold, false};
     }},
    {"SlcPaced", "slc-cache", [](CutCase& c) { c.parts.ftl.gc_pace = GcPace::kPaced; }},
    {"SlcUnits", "slc-cache",
     [](CutCase& c) {
         c.parts.geometry.page_bytes = 4096;
         c.parts.geometry = c.parts.geometry.in_units(2048);
     }},
    {"SlcUnitsOfBlocks", "slc-cache",
     [](CutCase& c) { // what pads a block is moved between two units of a NAND page
         c.parts.policy = "bplru";
         c.parts.frames = 32;
         c.parts.geometry.page_bytes = 4096;
         c.parts.geometry = c.parts.geometry.in_units(2048);
         c.parts.ftl.gc_pace = GcPace::kPaced;
         c.parts.ftl.own = SlcCacheParams{SlcFull::kFold, false};
     }},
    {"SlcAnywhere", "slc-cache",
     [](CutCase& c) {
         c.parts.allocator = "block-round-robin";
         c.parts.rr_mode = RoundRobinMode::kFree;
         c.parts.policy = "lru-block";
         c.parts.geometry = with_slc(geometry_of(4, 2, 1, 14, 4));
         c.cuts.under_way = 200;
     }},
    {"SuperblockWriteThrough", "superblock", [](CutCase& c) { c.parts.policy = "none"; }},
    {"SuperblockInOrder", "superblock", [](CutCase& c) { c.parts.ftl.strict_order = true; }},
    {"SuperblockBlocks", "superblock", [](CutCase& c) { c.parts.policy = "bplru"; }},
    {"SuperblockManyDies", "superblock",
     [](CutCase& c) {
         c.parts.geometry = geometry_of(4, 2, 1, 12, 4);
         c.cuts.under_way = 200;
     }},
    {"SuperblockFull", "superblock",
     [](CutCase& c) { // 49 blocks of data, 13 for updates, 2 to copy into
         c.parts.geometry = geometry_of(4, 1, 1, 16, 8);
         c.parts.ftl.overprovision = 1.0 - 48.5 / 64;
         c.cuts.under_way = 200;
     }},
    {"SubGroupWriteThrough", "subgroup", [](CutCase& c) { c.parts.policy = "none"; }},
    {"SubGroupInOrder", "subgroup", [](CutCase& c) { c.parts.ftl.strict_order = true; }},
    {"SubGroupBackground", "subgroup", [](CutCase& c) { c.parts.ftl.gc_background = 1; }},
    {"SubGroupBlocks", "subgroup", [](CutCase& c) { c.parts.policy = "bplru"; }},
    {"SubGroupManyDies", "subgroup",
     [](CutCase& c) {
         c.parts.geometry = geometry_of(4, 2, 1, 12, 4);
         c.cuts.under_way = 200;
     }},
    {"SubGroupFull", "subgroup",
     [](CutCase& c) { // 48 blocks of data, two areas of 4, two superblocks to merge into
         c.parts.geometry = geometry_of(4, 1, 1, 16, 8);
         c.parts.ftl.overprovision = 1.0 - 47.5 / 64;
         c.cuts.under_way = 200;
     }},
};

INSTANTIATE_TEST_SUITE_P(SlowAll, CutVariantTest, ::testing::ValuesIn(kVariants),
                         [](const auto& each) { return std::string(each.param.name); });

/// Blocks that are bad from the beginning look like erased ones.
class BadBlockCutTest : public CutDriveTestBase,
                        public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Layers, BadBlockCutTest, ::testing::Values("page", "dftl"), test_name);

TEST_P(BadBlockCutTest, NoRecoveryProgramsOne) {
    CutCase each = small_case(GetParam());
    each.parts.ftl.faults.factory_bad = 0.1;
    each.parts.geometry.blocks_per_plane = each.ftl == "dftl" ? 36 : 24;
    const BlockFaults faults(each.parts.geometry, each.parts.ftl.faults, each.parts.ftl.seed);
    CutDrive drive = make_drive(each);
    play(drive, each, 60);
    EXPECT_GT(drive.cuts().counters().pages_copied, 0u);
    std::uint32_t bad = 0;
    for (std::uint32_t block = 0; block < each.parts.geometry.blocks(); ++block) {
        if (faults.is_factory_bad(BlockId{block})) {
            EXPECT_EQ(drive.array().write_pointer(BlockId{block}), 0u);
            EXPECT_EQ(drive.array().erase_count(BlockId{block}), 0u);
            ++bad;
        }
    }
    EXPECT_EQ(drive.core().ftl().bad_blocks().factory, bad);
    EXPECT_GT(bad, 4u);
}

/// Stored energy drains the write buffer: nothing acknowledged is lost, as long as it suffices.
TEST_P(CutDriveTest, LosesNothingWithStoredEnergy) {
    CutCase each = small_case(GetParam());
    each.cuts.ends_programs = true;
    each.cuts.drains = true;
    CutDrive drive = make_drive(each);
    play(drive, each, 60);
    const RecoveryCounters& counters = drive.cuts().counters();
    EXPECT_EQ(counters.lost_unflushed + counters.lost_flushed + counters.corrupt, 0u);
    EXPECT_EQ(counters.torn_pages, 0u);
    EXPECT_GT(counters.drained_pages, 60u);

    each.cuts.costs = {1, 1, 1};
    each.cuts.energy = 4;
    CutDrive weak = make_drive(each);
    play(weak, each, 60);
    const RecoveryCounters& left = weak.cuts().counters();
    EXPECT_EQ(left.lost_flushed + left.corrupt, 0u) << weak.cuts().oracle().first_fault();
    EXPECT_GT(left.lost_unflushed, 0u);
    EXPECT_GT(left.undrained_pages, 60u);
    EXPECT_GT(left.drain_nj, 0u);
    EXPECT_LE(left.drain_nj, 60u * 4'000'000'000ull);
}

/// NAND pages of several units: what a mount empties is not erased before its copies are whole.
TEST_F(CutDriveTestBase, AMountOfUnitsMayBeCutAnywhere) {
    for (const char* layer : {"page", "slc-cache"}) {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            CutCase each = small_case(layer);
            each.parts.geometry.page_bytes = 4096;
            each.parts.geometry = each.parts.geometry.in_units(1024);
            each.parts.geometry.blocks_per_plane = 20;
            each.seed = each.cuts.seed = seed;
            each.cuts.cuts_in_mount = 20;
            CutDrive drive = make_drive(each);
            play(drive, each, 60);
            const RecoveryCounters& counters = drive.cuts().counters();
            EXPECT_EQ(counters.lost_flushed + counters.corrupt, 0u)
                << layer << " " << seed << ": " << drive.cuts().oracle().first_fault();
            EXPECT_GT(counters.mounts_cut, 10u);
        }
    }
}

class CutDriveNightlyTest : public CutDriveTestBase,
                            public ::testing::WithParamInterface<const char*> {};

TEST_P(CutDriveNightlyTest, KeepsWhatWasFlushedOverThousandsOfCuts) {
    for (std::uint64_t seed = 100; seed < 150; ++seed) {
        CutCase each = small_case(GetParam());
        each.seed = each.cuts.seed = seed;
        each.cuts.cuts_in_mount = seed % 2 == 0 ? 3 : 0;
        expect_survives(each, 60);
    }
}

TEST_P(CutDriveNightlyTest, TakesAnotherMillionWrites) {
    const CutCase each = small_case(GetParam());
    CutDrive drive = make_drive(each);
    play(drive, each, 50);
    CutLoad load(drive, each.parts.geometry, 77);
    for (std::uint64_t writes = 0; writes < 1'000'000;) {
        const DeviceCommand command = load.next();
        writes += command.op == RequestOp::kWrite ? 1 : 0;
        drive.execute(command);
        drive.settle();
    }
    drive.check();
    drive.cut();
    EXPECT_EQ(drive.cuts().counters().lost_flushed, 0u);
}

INSTANTIATE_TEST_SUITE_P(Layers, CutDriveNightlyTest, ::testing::ValuesIn(recoverable_layers()),
                         test_name);

INSTANTIATE_TEST_SUITE_P(Layers, CutDriveTest, ::testing::ValuesIn(recoverable_layers()),
                         test_name);

} // namespace
} // namespace cavern::testing
