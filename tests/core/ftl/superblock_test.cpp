#include "core/ftl/superblock.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/ftl/hybrid_fixture.h"

namespace cavern {

/// Damages a layer, for the tests that expect the damage to be found.
struct SuperblockProbe {
    static void move(Superblock& f, Lpn lpn) { ++f.l2p_[raw(lpn)]; }
    static void miscount(Superblock& f, BlockId block) { ++f.valid_[raw(block)]; }
    static void miscount(Superblock& f) { ++f.mapped_; }
    static void swap(Superblock& f) { std::swap(f.blocks_[0], f.blocks_[f.room_]); }
    static void share(Superblock& f) { f.blocks_[0] = f.blocks_[1]; }
    static void forget(Superblock& f) { f.blocks_[--f.count_[0]] = 0; }
    static void leak(Superblock& f) { (void)f.store_.take_anywhere(); }
};

namespace {

using testing::geometry_of;
using testing::Hybrid;
using testing::Lines;
using testing::text_of;

FtlParams params_of(std::uint32_t blocks, std::uint32_t updates, double overprovision = 0.5) {
    FtlParams params;
    params.overprovision = overprovision;
    params.own = SuperblockParams{blocks, updates};
    return params;
}

/// One die of blocks of four pages; two superblocks of two logical blocks and an update block,
/// written in order: blocks 0 .. 3.
struct Small : Hybrid<Superblock> {
    explicit Small(const FtlParams& params = params_of(2, 1))
        : Hybrid(geometry_of(1, 1, 1, 8, 4), params, 16) {}
};

// docs/algorithms.md, SB-1: SB = 2, U = 1, Np = 4, preconditioned.
TEST(SuperblockTest, MergesAreThoseOfTheExample) {
    Small drive;
    drive.write({0, 1, 2, 4});
    EXPECT_TRUE(drive.merges().empty());
    EXPECT_EQ(text_of(drive.write({0})),
              (Lines{"read merge page 3 lpn 3", "program merge page 20 lpn 3 after 0 copies",
                     "erase merge page 0 after 1", "program host page 21 lpn 0"}));
    drive.write({5, 6});
    EXPECT_EQ(drive.merges().size(), 1u);
    drive.write({7});
    EXPECT_EQ(drive.merges(), Lines(2, "merge partial of 0: 1 copies, 1 erases"));
    drive.write({3});
    const FtlCounters& count = drive.ftl.counters();
    EXPECT_EQ(count.host_pages, 9u);
    EXPECT_EQ(count.merge_pages, 2u);
    EXPECT_EQ(count.erases, 2u);
    EXPECT_EQ(count.merges_partial, 2u);
    EXPECT_EQ(count.merges_switch + count.merges_full + count.gc_runs, 0u);
    drive.expect_consistent();
}

TEST(SuperblockTest, ADeadBlockIsOnlyErased) {
    Small drive;
    drive.write({0, 1, 2, 3});
    EXPECT_EQ(text_of(drive.write({0})),
              (Lines{"erase merge page 0", "program host page 20 lpn 0"}));
    EXPECT_TRUE(drive.merges().empty());
    EXPECT_EQ(drive.reclaims(), Lines{"gc 0 copies 0"});
    drive.expect_consistent();
}

TEST(SuperblockTest, OfBlocksWithAsFewValidPagesTheOldestIsReclaimed) {
    Small drive;
    drive.write({0, 1, 4, 5});
    EXPECT_EQ(text_of(drive.write({0})).back(), "program host page 22 lpn 0");
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 2 copies, 1 erases"});
    EXPECT_EQ(drive.ftl.erase_count(BlockId{0}), 1u);
    drive.expect_consistent();
}

TEST(SuperblockTest, SuperblocksDoNotShareTheirBlocks) {
    Small drive;
    drive.write({1, 9, 2, 10});
    EXPECT_EQ(drive.block_of(1), BlockId{4});
    EXPECT_EQ(drive.block_of(2), BlockId{4});
    EXPECT_EQ(drive.block_of(10), BlockId{5});
    EXPECT_TRUE(drive.merges().empty());
    drive.expect_consistent();
}

TEST(SuperblockTest, TrimmedPagesAreNotCopiedAndNothingReappears) {
    Small drive;
    drive.write({0, 1, 2, 4});
    drive.trim(3);
    drive.trim(4);
    EXPECT_EQ(text_of(drive.write({0})),
              (Lines{"erase merge page 0", "program host page 20 lpn 0"}));
    EXPECT_EQ(drive.ftl.location(Lpn{3}), kNoPpn);
    EXPECT_EQ(drive.ftl.location(Lpn{4}), kNoPpn);
    drive.expect_consistent();
}

TEST(SuperblockTest, PaddingCopiesTheNewestVersionOrWritesZeros) {
    Small drive;
    drive.trim(1);
    EXPECT_EQ(text_of(drive.write_unit({{Lpn{0}, PlaneId{0}, true}, {Lpn{1}, PlaneId{0}, true}})),
              (Lines{"read padding page 0 lpn 0", "program padding page 16 lpn 0 after 0 copies",
                     "program padding page 17 lpn 1"}));
    EXPECT_NE(drive.ftl.location(Lpn{1}), kNoPpn);
    drive.expect_consistent();
}

// A block to reclaim may lie on another die than the one the write is for.
TEST(SuperblockTest, NewBlocksLieWhereTheWriteOrTheVictimIs) {
    Hybrid<Superblock> drive(geometry_of(2, 1, 1, 4, 4), params_of(2, 1));
    drive.fill_from(0, 4, PlaneId{0});
    drive.fill_from(4, 8, PlaneId{1});
    drive.write_unit({0}, PlaneId{1});
    EXPECT_EQ(drive.ftl.location(Lpn{0}), Ppn{20});
    drive.write_unit({1, 4, 5}, PlaneId{1});
    drive.write_unit({6}, PlaneId{1}); // block 0 is copied on its die
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 2 copies, 1 erases"});
    EXPECT_EQ(drive.ftl.location(Lpn{6}), Ppn{6});
    drive.expect_consistent();
}

TEST(SuperblockTest, MoreUpdateBlocksMergeLaterAndCopyLess) {
    const auto copies = [](std::uint32_t updates) {
        Hybrid<Superblock> drive(geometry_of(1, 1, 1, 16, 4), params_of(4, updates));
        drive.fill(32);
        for (std::uint64_t i = 0; i < 400; ++i) {
            drive.write({i * 7 % 32});
        }
        drive.expect_consistent();
        return drive.ftl.counters().merge_pages;
    };
    EXPECT_GT(copies(1), copies(2));
    EXPECT_GT(copies(2), copies(3));
}

TEST(SuperblockTest, FitsSaysWhatWouldBeRight) {
    const Geometry geometry = geometry_of(2, 2, 1, 25, 4);
    EXPECT_EQ(superblock_why_not(geometry, params_of(9, 1, 0.1)).value_or(""),
              "ftl.overprovision leaves 10 spare blocks of 100; 11 are needed "
              "(ftl.superblock.updates for each superblock + 1), a share of at least 0.1100");
    EXPECT_EQ(superblock_why_not(geometry, params_of(9, 1, 0.11)), std::nullopt);
    EXPECT_NE(superblock_why_not(geometry, params_of(0, 1)), std::nullopt);
    EXPECT_NE(superblock_why_not(geometry, params_of(1, 0)), std::nullopt);
    EXPECT_NE(superblock_why_not(geometry, params_of(1, 65535)), std::nullopt);
    EXPECT_THROW(Superblock(geometry, params_of(1, 1, 0.1), nullptr), ModelError);
}

TEST(SuperblockTest, DamagedStateIsFound) {
    const auto found = [](const std::function<void(Superblock&)>& damage) {
        Small drive;
        drive.write({0, 1, 2, 4, 0, 9});
        damage(drive.ftl);
        return drive.is_damaged();
    };
    using Probe = SuperblockProbe;
    EXPECT_FALSE(found([](Superblock&) {}));
    EXPECT_TRUE(found([](Superblock& f) { Probe::move(f, Lpn{5}); }));
    EXPECT_TRUE(found([](Superblock& f) { Probe::miscount(f, BlockId{1}); }));
    EXPECT_TRUE(found([](Superblock& f) { Probe::miscount(f); }));
    EXPECT_TRUE(found([](Superblock& f) { Probe::swap(f); }));
    EXPECT_TRUE(found([](Superblock& f) { Probe::share(f); }));
    EXPECT_TRUE(found([](Superblock& f) { Probe::forget(f); }));
    EXPECT_TRUE(found([](Superblock& f) { Probe::leak(f); }));
}

} // namespace
} // namespace cavern
