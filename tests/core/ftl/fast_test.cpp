#include "core/ftl/fast.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/page_ftl.h"
#include "tests/core/ftl/ftl_model.h"
#include "tests/core/ftl/hybrid_fixture.h"

namespace cavern {

/// Damages a layer, for the tests that expect the damage to be found.
struct MixedLogFtlProbe {
    static void map(MixedLogFtl& f, Lpn lpn) { f.mapped().insert(raw(lpn)); }
    static void unmap(MixedLogFtl& f, Lpn lpn) { f.mapped().erase(raw(lpn)); }
    static void swap_data(MixedLogFtl& f, std::uint32_t a, std::uint32_t b) {
        std::swap(f.data_[a], f.data_[b]);
    }
    static void share_data(MixedLogFtl& f, std::uint32_t a, std::uint32_t b) {
        f.data_[a] = f.data_[b];
    }
    static void forget_data(MixedLogFtl& f, std::uint32_t unit) { f.data_[unit] = 0; }
    static void log_twice(MixedLogFtl& f, Lpn lpn) { f.random_.append(f.random_.oldest(), lpn); }
    static void forget_log(MixedLogFtl& f, std::uint32_t unit) { f.log_of_[unit] = 0; }
    static void append(MixedLogFtl& f, std::uint32_t unit, std::uint32_t offset) {
        f.sequential_.append(f.log_of_[unit] - 1, offset, offset);
    }
    static void leak(MixedLogFtl& f) { (void)f.store().take_anywhere(); }
};

namespace {

using testing::FtlModel;
using testing::geometry_of;
using testing::half_exported;
using testing::Hybrid;
using testing::hybrid_params;
using testing::Lines;
using testing::range;
using testing::text_of;

/// `random` log blocks beside the sequential one.
FtlParams params_of(std::uint32_t random, bool strict = false, bool eager = true) {
    return half_exported(random + 1, strict, eager);
}

/// One die of blocks of four pages, four logical blocks written in place: blocks 0 .. 3.
struct Small : Hybrid<Fast> {
    explicit Small(const FtlParams& params = params_of(2))
        : Hybrid(geometry_of(1, 1, 1, 8, 4), params, 16) {}
};

// docs/algorithms.md, FAST-1: Np = 4, nrw = 2, logical blocks 0 .. 3 preconditioned.
TEST(FastTest, MergesAreThoseOfTheExample) {
    Small drive;
    drive.write({1, 5, 9, 13, 0, 1, 2});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({2});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 0: 3 copies, 2 erases"});
    drive.write({6, 10, 14, 7});
    EXPECT_EQ(drive.merges().size(), 1u);
    drive.write({11});
    EXPECT_EQ(
        drive.merges(),
        (Lines{"merge full of 0: 3 copies, 2 erases", "merge full of 1: 4 copies, 1 erases",
               "merge full of 2: 4 copies, 1 erases", "merge full of 3: 4 copies, 1 erases"}));
    EXPECT_EQ(drive.reclaims(), Lines{"gc 4 copies 0"});
    drive.write({3, 15, 7});
    EXPECT_EQ(drive.reclaims().size(), 1u);
    drive.write({1}); // the oldest is dead
    EXPECT_EQ(drive.merges().size(), 4u);
    EXPECT_EQ(drive.reclaims().size(), 2u);
    drive.write({8, 9, 11});
    EXPECT_EQ(drive.merges().back(), "merge partial of 2: 1 copies, 1 erases");
    const FtlCounters& count = drive.ftl.counters();
    EXPECT_EQ(count.host_pages, 20u);
    EXPECT_EQ(count.merge_pages, 16u);
    EXPECT_EQ(count.erases, 8u);
    EXPECT_EQ(count.merges_switch, 0u);
    EXPECT_EQ(count.merges_partial, 1u);
    EXPECT_EQ(count.merges_full, 4u);
    EXPECT_EQ(count.gc_runs, 2u);
    const Fast::Reclaims& reclaims = drive.ftl.reclaims();
    EXPECT_EQ(reclaims.blocks, 2u);
    EXPECT_EQ(reclaims.valid_pages, 3u);
    EXPECT_EQ(reclaims.merged, 3u);
    EXPECT_EQ(reclaims.reads, 12u);
    EXPECT_EQ(reclaims.programs, 12u);
    EXPECT_EQ(reclaims.erases, 5u);
    drive.expect_consistent();
}

TEST(FastTest, ABlockWrittenInOrderIsSwitchedAtOnce) {
    Small drive;
    EXPECT_EQ(text_of(drive.write({4, 5, 6, 7})),
              (Lines{"program host page 19 lpn 7", "erase merge page 4"}));
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 1: 0 copies, 1 erases"});
    EXPECT_EQ(drive.ftl.location(Lpn{4}), Ppn{16});
    drive.expect_consistent();
}

TEST(FastTest, ALateSwitchComesWithTheNextWriteThatNeedsTheSequentialBlock) {
    Small drive(params_of(2, false, false));
    drive.write({4, 5, 6, 7, 9});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({6});
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 1: 0 copies, 1 erases"});
    EXPECT_TRUE(drive.ftl.is_logged(Lpn{6}));
    drive.write({4, 5, 6, 7, 12});
    EXPECT_EQ(drive.merges(), Lines(2, "merge switch of 1: 0 copies, 1 erases"));
    EXPECT_FALSE(drive.ftl.is_logged(Lpn{6}));
    drive.expect_consistent();
}

TEST(FastTest, AnotherBlockInOrderClosesTheSequentialOnePartially) {
    Small drive;
    drive.write({4, 5});
    EXPECT_EQ(text_of(drive.write({8})),
              (Lines{"read merge page 6 lpn 6", "program merge page 18 lpn 6 after 0 copies",
                     "read merge page 7 lpn 7", "program merge page 19 lpn 7 after 2 copies",
                     "erase merge page 4 after 3", "program host page 20 lpn 8"}));
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 1: 2 copies, 1 erases"});
    drive.expect_consistent();
}

TEST(FastTest, OffsetZeroAgainStartsTheSequentialBlockAnew) {
    Small drive;
    drive.write({4, 5, 4});
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 1: 2 copies, 1 erases"});
    EXPECT_EQ(drive.block_of(4), BlockId{5});
    EXPECT_EQ(drive.block_of(5), BlockId{4});
    drive.expect_consistent();
}

// The page at hand is written by the merge, in its place among the copies.
TEST(FastTest, AMergeOfTheSequentialBlockWritesThePageThatCausedIt) {
    Small drive;
    drive.write({4});
    EXPECT_EQ(text_of(drive.write({6})),
              (Lines{"read merge page 5 lpn 5", "program merge page 17 lpn 5 after 0 copies",
                     "program host page 18 lpn 6", "read merge page 7 lpn 7",
                     "program merge page 19 lpn 7 after 3 copies", "erase merge page 4 after 4"}));
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 1: 2 copies, 1 erases"});
    drive.write({8, 9});
    EXPECT_EQ(text_of(drive.write({9})),
              (Lines{"read merge page 20 lpn 8", "program merge page 24 lpn 8 after 0 copies",
                     "program host page 25 lpn 9", "read merge page 10 lpn 10",
                     "program merge page 26 lpn 10 after 3 copies", "read merge page 11 lpn 11",
                     "program merge page 27 lpn 11 after 5 copies", "erase merge page 8 after 6",
                     "erase merge page 20 after 6"}));
    EXPECT_EQ(drive.merges().back(), "merge full of 2: 3 copies, 2 erases");
    drive.expect_consistent();
}

TEST(FastTest, ASequentialPageSupersedesTheRandomOne) {
    Small drive;
    drive.write({5, 9, 13, 3, 4, 5});
    EXPECT_FALSE(drive.ftl.is_logged(Lpn{5}));
    drive.write(
        {7, 6, 14, 10, 11}); // 7 closes the sequential log, the others fill the second block
    drive.write({1});        // reclaims the first
    EXPECT_EQ(
        drive.merges(),
        (Lines{"merge partial of 1: 1 copies, 1 erases", "merge full of 2: 4 copies, 1 erases",
               "merge full of 3: 4 copies, 1 erases", "merge full of 0: 4 copies, 1 erases"}));
    drive.expect_consistent();
}

// The reclaimed block has a page of the block that owns the sequential log: that is closed.
TEST(FastTest, AReclaimClosesTheSequentialLogOfABlockItNeeds) {
    Small drive;
    drive.write({6, 6, 6, 6, 9, 9, 9, 9, 4, 5});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({13});
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 1: 2 copies, 1 erases"});
    EXPECT_EQ(drive.reclaims().size(), 1u);
    drive.expect_consistent();
}

TEST(FastTest, RandomLogBlocksAreReclaimedInTheOrderTheyWereOpened) {
    Small drive;
    drive.write({5, 5, 5, 5, 9, 9, 9, 9, 13});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 4 copies, 1 erases"});
    drive.write({13, 13, 13, 1});
    EXPECT_EQ(drive.merges().back(), "merge full of 2: 4 copies, 1 erases");
    drive.write({1, 1, 1, 5});
    EXPECT_EQ(drive.merges().back(), "merge full of 3: 4 copies, 1 erases");
    drive.expect_consistent();
}

TEST(FastTest, FirstTouchIsInPlaceWhileThePagesAscendAndNoSequentialLogIsOpen) {
    Hybrid<Fast> drive(geometry_of(1, 1, 1, 8, 4), params_of(2));
    drive.write({0, 2});
    EXPECT_EQ(drive.ftl.location(Lpn{2}), Ppn{2});
    drive.write({1}); // skipped before
    EXPECT_TRUE(drive.ftl.is_logged(Lpn{1}));
    drive.write({0}); // sequential
    drive.write({1, 2});
    EXPECT_TRUE(drive.merges().empty());
    drive.write({3}); // programmable in place, but it is the sequential log's turn
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 0: 0 copies, 1 erases"});
    drive.expect_consistent();
}

TEST(FastTest, StrictOrderFillsTheHolesOfAMerge) {
    Hybrid<Fast> drive(geometry_of(1, 1, 1, 8, 4), params_of(1, true));
    drive.write({5, 7, 5, 7}); // not in place: pages may not be skipped
    EXPECT_EQ(text_of(drive.write({10})),
              (Lines{"read merge page 2 lpn 5", "program padding page 4",
                     "program merge page 5 lpn 5 after 0 copies", "read merge page 3 lpn 7",
                     "program padding page 6", "program merge page 7 lpn 7 after 3 copies",
                     "erase merge page 0 after 5", "program host page 8 lpn 10"}));
    EXPECT_EQ(drive.ftl.counters().padding_pages, 2u);
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 2 copies, 0 erases"});
    drive.expect_consistent();
}

TEST(FastTest, TrimmedPagesAreNotCopied) {
    Small drive(params_of(1));
    drive.write({5, 6, 9, 13});
    drive.trim(6); // in the log
    drive.trim(8); // in place
    drive.write({1});
    EXPECT_EQ(drive.merges(),
              (Lines{"merge full of 1: 3 copies, 1 erases", "merge full of 2: 3 copies, 1 erases",
                     "merge full of 3: 4 copies, 1 erases"}));
    EXPECT_EQ(drive.ftl.location(Lpn{6}), kNoPpn);
    EXPECT_EQ(drive.ftl.location(Lpn{8}), kNoPpn);
    drive.write({4, 5});
    drive.trim(4);    // in the sequential log, which stays what it is
    drive.write({8}); // merged already: a new sequential log
    EXPECT_EQ(drive.merges().back(), "merge partial of 1: 1 copies, 1 erases");
    EXPECT_EQ(drive.ftl.location(Lpn{4}), kNoPpn);
    drive.expect_consistent();
}

TEST(FastTest, ABlockTrimmedAltogetherGivesBackItsBlocks) {
    Small drive(params_of(1));
    drive.write({4, 5});
    drive.trim(range(4, 8));
    EXPECT_EQ(text_of(drive.write({8})),
              (Lines{"erase merge page 4", "erase merge page 16", "program host page 20 lpn 8"}));
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 0 copies, 2 erases"});
    drive.write({7}); // starts anew, in place
    EXPECT_EQ(drive.page_in_block(7), 3u);
    drive.expect_consistent();
}

TEST(FastTest, PaddingCopiesTheNewestVersionOrWritesZeros) {
    Small drive;
    drive.trim(7);
    drive.write({6});
    const std::vector<UnitPage> unit{{Lpn{4}, PlaneId{0}, true},
                                     {Lpn{5}, PlaneId{0}, false},
                                     {Lpn{6}, PlaneId{0}, true},
                                     {Lpn{7}, PlaneId{0}, true}};
    EXPECT_EQ(text_of(drive.write_unit(unit)),
              (Lines{"read padding page 4 lpn 4", "program padding page 20 lpn 4 after 0 copies",
                     "program host page 21 lpn 5", "read padding page 16 lpn 6",
                     "program padding page 22 lpn 6 after 3 copies",
                     "program padding page 23 lpn 7", "erase merge page 4"}));
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 1: 0 copies, 1 erases"});
    drive.expect_consistent();
}

// Data stay in their plane while it has a block to spare, logs go where most are free.
TEST(FastTest, BlocksLieWhereThereIsRoom) {
    Hybrid<Fast> drive(geometry_of(2, 1, 1, 4, 4), params_of(2));
    drive.fill_from(0, 16, PlaneId{1}); // all four blocks of the die: the last block's data
    EXPECT_EQ(drive.plane_of(12), PlaneId{1});
    drive.write({5});
    EXPECT_EQ(drive.plane_of(5), PlaneId{0});
    drive.write({5, 5, 5, 9, 9, 9, 9, 13});
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 4 copies, 1 erases"});
    EXPECT_EQ(drive.plane_of(5), PlaneId{0});
    drive.expect_consistent();
}

// ---- the size of the random log -----------------------------------------------------------------

TEST(FastTest, ASmallerLogGivesUpUnusedBlocksFirst) {
    Hybrid<Fast> drive(geometry_of(1, 1, 1, 12, 4), params_of(3));
    drive.fill(16);
    drive.write({5, 5, 5, 5, 9});
    FlashOpList ops;
    drive.ftl.resize(2, ops);
    EXPECT_TRUE(ops.empty());
    EXPECT_EQ(drive.ftl.random_logs(), 2u);
    EXPECT_EQ(drive.ftl.random_logs_used(), 2u);
    drive.ftl.resize(1, ops);
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 4 copies, 1 erases"});
    EXPECT_EQ(ops.size(), 10u);
    EXPECT_EQ(drive.ftl.random_logs_used(), 1u);
    EXPECT_GT(drive.ftl.check_invariants(), 0u);
}

TEST(FastTest, ALargerLogTakesMoreBlocksBeforeItReclaims) {
    Hybrid<Fast> drive(geometry_of(1, 1, 1, 12, 4), params_of(1));
    drive.fill(16);
    EXPECT_EQ(drive.ftl.most_random_logs(), 4u); // twelve blocks, six of them for data
    FlashOpList ops;
    drive.ftl.resize(4, ops);
    EXPECT_TRUE(ops.empty());
    for (int i = 0; i < 16; ++i) {
        drive.write({5});
    }
    EXPECT_TRUE(drive.merges().empty());
    EXPECT_EQ(drive.ftl.random_logs_used(), 4u);
    drive.write({5});
    EXPECT_EQ(drive.reclaims().size(), 1u);
    drive.expect_consistent();
    EXPECT_THROW(drive.ftl.resize(5, ops), ModelError);
    EXPECT_THROW(drive.ftl.resize(0, ops), ModelError);
    EXPECT_EQ(Fast::map_bytes(4, 4), 5u * 16u);
}

// Random writes, trims and sizes beside a dictionary: a million operations.
TEST(FastSlowTest, PagesSurviveALogThatChangesItsSizeAllTheTime) {
    struct Shape {
        Geometry geometry;
        bool strict;
        std::uint64_t resizes = 0;
    };
    Shape shapes[] = {{geometry_of(1, 1, 1, 24, 4), false},
                      {geometry_of(2, 2, 2, 8, 8), false},
                      {geometry_of(2, 1, 1, 24, 6), true}};
    for (Shape& shape : shapes) {
        const FtlParams params = params_of(4, shape.strict);
        ASSERT_EQ(fast_why_not(shape.geometry, params), std::nullopt);
        const std::uint64_t pages = Fast(shape.geometry, params, nullptr).logical_pages();
        FtlModel model(shape.geometry, shape.strict, pages, 3);
        auto made = std::make_unique<Fast>(shape.geometry, params, model.log());
        Fast& fast = *made;
        model.watch(std::move(made));
        Random random(17);
        for (int step = 1; step <= 340'000; ++step) {
            const std::uint64_t what = random.below(100);
            const Lpn lpn{random.below(random.below(2) == 0 ? pages : pages / 4)};
            if (what < 4) {
                const auto size =
                    1 + static_cast<std::uint32_t>(random.below(fast.most_random_logs()));
                const std::uint32_t used = fast.random_logs_used();
                model.act([&](FlashOpList& ops) { fast.resize(size, ops); });
                shape.resizes += used > size ? 1 : 0;
                ASSERT_LE(fast.random_logs_used(), size);
            } else if (what < 10) {
                model.trim(lpn);
            } else {
                model.write_unit({{lpn, PlaneId{}, false}}, random.below(8) != 0);
            }
            if (step % 5000 == 0) {
                EXPECT_GT(model.check(), 0u);
            }
        }
        EXPECT_GT(shape.resizes, 1'000u);
    }
}

// ---- equivalence --------------------------------------------------------------------------------

/// Random writes of pages that open no sequential log, `count` of them; returns what they cost.
template <typename Ftl>
FtlCounters cost_of(const Geometry& geometry, const FtlParams& params, std::uint64_t span,
                    std::uint64_t count) {
    Hybrid<Ftl> drive(geometry, params);
    drive.fill(span);
    Random random(5);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t lpn = random.below(span);
        drive.write({lpn % geometry.pages_per_block == 0 ? lpn + 1 : lpn});
    }
    drive.expect_consistent();
    return drive.ftl.counters();
}

// A log block for every page written is a page map without collection.
TEST(FastTest, WithALogBlockForEachPageWrittenItNeverMergesAndCostsWhatAPageMapCosts) {
    const Geometry geometry = geometry_of(1, 1, 1, 400, 4);
    constexpr std::uint64_t kSpan = 256; // pages, and as many log blocks
    FtlParams params = hybrid_params(1 - 256.0 / 1600, 257);
    const FtlCounters logged = cost_of<Fast>(geometry, params, kSpan, 1024);
    const FtlCounters mapped = cost_of<PageFtl>(geometry, params, kSpan, 1024);
    for (const FtlCounters& count : {logged, mapped}) {
        EXPECT_EQ(count.host_pages, 1024u);
        EXPECT_EQ(count.merge_pages + count.gc_pages + count.padding_pages, 0u);
        EXPECT_EQ(count.erases, 0u);
        EXPECT_EQ(count.merges_switch + count.merges_partial + count.merges_full, 0u);
    }
    // One log block less, and the last of them has to be reclaimed.
    params.log_blocks = 256;
    const FtlCounters short_log = cost_of<Fast>(geometry, params, kSpan, 1024);
    EXPECT_EQ(short_log.host_pages, 1024u);
    EXPECT_EQ(short_log.gc_runs, 1u);
}

// ---- limits and damage --------------------------------------------------------------------------

TEST(FastTest, FitsSaysWhatWouldBeRight) {
    const Geometry geometry = geometry_of(2, 2, 1, 25, 4);
    EXPECT_EQ(fast_why_not(geometry, hybrid_params(0.1, 9)), std::nullopt);
    EXPECT_EQ(fast_why_not(geometry, hybrid_params(0.1, 10)).value_or(""),
              "ftl.overprovision leaves 10 spare blocks of 100; 11 are needed (random log blocks + "
              "2), a share of at least 0.1100");
    EXPECT_EQ(
        fast_why_not(geometry, hybrid_params(0.1, 1)).value_or(""),
        "ftl.log_blocks = 1 leaves no random log block beside the sequential one; at least 2");
    EXPECT_EQ(fast_why_not(geometry, hybrid_params(0.1, 200)).value_or(""),
              "100 blocks are too few for a reserve of 201 (random log blocks + 2); at least 202, "
              "or a smaller reserve");
    FtlParams few = hybrid_params(0.1, 200);
    few.own = FastParams{8};
    EXPECT_EQ(fast_why_not(geometry, few), std::nullopt);
    EXPECT_THROW(Fast(geometry, hybrid_params(0.1, 200), nullptr), ModelError);
}

TEST(FastTest, DamagedStateIsFound) {
    const auto found = [](const std::function<void(Fast&)>& damage) {
        Small drive;
        drive.trim(15);
        drive.write({5, 6, 9, 8});
        damage(drive.ftl);
        return drive.is_damaged();
    };
    using Probe = MixedLogFtlProbe;
    EXPECT_FALSE(found([](Fast&) {}));
    EXPECT_FALSE(found([](Fast& f) { Probe::map(f, Lpn{15}); })); // was programmed once
    EXPECT_TRUE(found([](Fast& f) { Probe::unmap(f, Lpn{5}); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::unmap(f, Lpn{8}); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::share_data(f, 0, 1); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::forget_data(f, 3); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::log_twice(f, Lpn{5}); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::log_twice(f, Lpn{8}); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::forget_log(f, 2); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::append(f, 2, 1); }));
    EXPECT_TRUE(found([](Fast& f) { Probe::leak(f); }));
    // Exchanged data blocks break no rule of the map; the array tells.
    Small drive;
    Probe::swap_data(drive.ftl, 1, 2);
    EXPECT_NE(drive.array.read(drive.ftl.location(Lpn{5})), Lpn{5});
}

// 20,000 log blocks of 1,152 pages. The map of the log has an entry for each of the pages written,
// and grows by doubling.
TEST(FastTest, AHugeLogCostsTheMemoryOfWhatWasWritten) {
    const Geometry geometry = geometry_of(1, 1, 1, 65'536, 1152);
    const std::uint64_t before = testing::resident_bytes();
    Fast ftl(geometry, testing::hybrid_params(0.5, 20'001), nullptr);
    FlashOpList ops;
    Random random(1);
    for (int i = 0; i < 20'000; ++i) {
        ops.clear();
        ftl.write(Lpn{random.below(1'000) * 1152 + 1 + random.below(1151)}, PlaneId{0}, ops);
    }
    const std::uint64_t after = testing::resident_bytes();
    EXPECT_GT(ftl.random_logs_used(), 1u);
    if (!testing::kSanitized) {
        EXPECT_LT(after - before, std::uint64_t{16} << 20);
    }
}

} // namespace
} // namespace cavern
