#include "core/ftl/last.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/ftl/hybrid_fixture.h"

namespace cavern {

/// Damages a layer, for the tests that expect the damage to be found.
struct LastProbe {
    static void cool(Last& f, Lpn lpn) {
        f.is_hot_[f.random().slot_of(f.random().find(lpn))] = false;
    }
    static void close(Last& f) { f.open_[0] = MixedLogFtl::kNone; }
    static void shrink(Last& f) { f.limit_ = 1; }
};

/// Of the log that all logical blocks share.
struct MixedLogFtlProbe {
    static SharedLog& random(MixedLogFtl& f) { return f.random_; }
};

namespace {

using testing::geometry_of;
using testing::Hybrid;
using testing::Lines;
using testing::range;

template <typename Value, typename Given>
void set_own(FtlParams& params, Value LastParams::*member, Given value) {
    auto own = own_params<LastParams>(params);
    own.*member = value;
    params.own = own;
}

FtlParams params_of(std::uint32_t sequential, std::uint32_t random, std::uint32_t threshold = 2,
                    std::uint64_t window = 8) {
    FtlParams params;
    params.overprovision = 0.6;
    LastParams own;
    own.sequential_logs = sequential;
    own.random_logs = random;
    own.threshold = std::uint64_t{threshold} * Geometry{}.page_bytes;
    own.hot_window = window;
    params.own = own;
    return params;
}

/// One die of blocks of four pages, four logical blocks written in place: blocks 0 .. 3.
struct Small : Hybrid<Last> {
    explicit Small(const FtlParams& params = params_of(1, 3))
        : Hybrid(geometry_of(1, 1, 1, 10, 4), params, 16) {}
    /// A host request: pages that come together.
    FlashOpList request(std::uint64_t first, std::uint64_t pages) {
        return write_unit(range(first, first + pages), PlaneId{0});
    }
};

// docs/algorithms.md, LAST-1: Np = 4, nseq = 1, nrnd = 3, thr = 2, hotk = 8.
TEST(LastTest, MergesAreThoseOfTheExample) {
    Small drive;
    drive.request(0, 4);
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 0: 0 copies, 1 erases"});
    drive.write({5, 9});
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{5}));
    drive.write({5, 9, 5, 9});
    EXPECT_TRUE(drive.ftl.is_hot(Lpn{5}));
    EXPECT_TRUE(drive.ftl.is_hot(Lpn{9}));
    drive.write({13});
    drive.request(4, 2);
    EXPECT_FALSE(drive.ftl.is_hot(Lpn{5})); // in the sequential log now
    drive.write({2, 6, 10, 14, 3});
    EXPECT_EQ(drive.merges().size(), 1u);
    drive.write({7});
    EXPECT_EQ(drive.merges(),
              (Lines{"merge switch of 0: 0 copies, 1 erases", "merge full of 0: 4 copies, 1 erases",
                     "merge full of 3: 4 copies, 1 erases"}));
    drive.write({9});
    EXPECT_EQ(drive.merges().size(), 5u);
    EXPECT_EQ(drive.merges()[3], "merge partial of 1: 2 copies, 1 erases");
    EXPECT_EQ(drive.merges()[4], "merge full of 2: 4 copies, 1 erases");
    EXPECT_EQ(drive.reclaims().size(), 2u);
    drive.write({9, 9, 9});
    EXPECT_EQ(drive.reclaims().size(), 2u);
    drive.write({9}); // the first hot block is dead
    EXPECT_EQ(drive.reclaims().size(), 3u);
    EXPECT_EQ(drive.merges().size(), 5u);
    const FtlCounters& count = drive.ftl.counters();
    EXPECT_EQ(count.host_pages, 24u);
    EXPECT_EQ(count.merge_pages, 14u);
    EXPECT_EQ(count.erases, 8u);
    EXPECT_EQ(count.merges_switch, 1u);
    EXPECT_EQ(count.merges_partial, 1u);
    EXPECT_EQ(count.merges_full, 3u);
    EXPECT_EQ(count.gc_runs, 3u);
    drive.expect_consistent();
}

TEST(LastTest, WhatComesTogetherInLessThanTheThresholdIsRandom) {
    Small drive(params_of(1, 3, 3));
    drive.request(4, 2);
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{4}));
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{5}));
    drive.request(8, 3);
    EXPECT_FALSE(drive.ftl.is_cold(Lpn{8}) || drive.ftl.is_hot(Lpn{8}));
    drive.expect_consistent();
}

TEST(LastTest, TheThresholdIsInBytesRoundedUpToPages) {
    FtlParams params = params_of(1, 3);
    set_own(params, &LastParams::threshold, 2 * Geometry{}.page_bytes + 1);
    Small drive(params);
    drive.request(4, 2);
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{4}));
    drive.request(8, 3);
    EXPECT_FALSE(drive.ftl.is_cold(Lpn{8}));
}

// Without a write buffer pages come one by one, and say what they belong to.
TEST(LastTest, PagesOfOneCommandComeTogether) {
    Small drive;
    drive.write_unit({{Lpn{4}, PlaneId{0}, false, 2}});
    drive.write_unit({{Lpn{5}, PlaneId{0}, false, 2}});
    EXPECT_FALSE(drive.ftl.is_cold(Lpn{4}) || drive.ftl.is_cold(Lpn{5}));
    drive.write_unit({{Lpn{8}, PlaneId{0}, false, 1}});
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{8}));
    drive.expect_consistent();
}

TEST(LastTest, ASequentialPageThatOpensNoLogIsRandom) {
    Small drive;
    drive.request(5, 2);
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{5}));
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{6}));
    drive.expect_consistent();
}

TEST(LastTest, ASequentialPageOutOfTurnMergesItsLogFirst) {
    Small drive;
    drive.request(4, 2);
    drive.request(4, 2);
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 1: 2 copies, 1 erases"});
    drive.request(7, 3); // 7 is out of turn, 8 opens a log of its own
    EXPECT_EQ(drive.merges(), Lines(2, "merge partial of 1: 2 copies, 1 erases"));
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{7}));
    EXPECT_FALSE(drive.ftl.is_cold(Lpn{8}));
    drive.expect_consistent();
}

TEST(LastTest, TheLeastRecentlyWrittenSequentialLogGivesWay) {
    Small drive(params_of(2, 2));
    drive.request(0, 2);
    drive.request(4, 2);
    drive.request(2, 1); // a page by itself: random, and page 2 is not in the log
    drive.request(8, 2);
    EXPECT_EQ(drive.merges(), Lines{"merge partial of 0: 2 copies, 1 erases"});
    drive.request(6, 2);
    EXPECT_EQ(drive.merges().back(), "merge switch of 1: 0 copies, 1 erases");
    drive.expect_consistent();
}

// A random page supersedes one of the sequential log, which is a prefix no more.
TEST(LastTest, ASequentialLogWithAnInvalidPageIsMergedFully) {
    Small drive;
    drive.request(4, 3);
    drive.write({5});
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{5}));
    drive.request(8, 2);
    EXPECT_EQ(drive.merges(), Lines{"merge full of 1: 4 copies, 2 erases"});
    EXPECT_FALSE(drive.ftl.is_cold(Lpn{5}));
    drive.expect_consistent();
}

TEST(LastTest, APageIsHotWithinTheWindowOnly) {
    Small drive(params_of(1, 3, 2, 2));
    drive.write({5, 9, 5});
    EXPECT_TRUE(drive.ftl.is_hot(Lpn{5}));
    drive.write({13, 9}); // three writes ago
    EXPECT_TRUE(drive.ftl.is_cold(Lpn{9}));
    drive.write({13, 1, 13});
    EXPECT_TRUE(drive.ftl.is_hot(Lpn{13}));
    drive.expect_consistent();
}

TEST(LastTest, ADeadBlockIsErasedBeforeAnyIsMergedAndAHotOneFirst) {
    Small drive(params_of(1, 4, 2, 100));
    drive.write({1, 5, 9, 13}); // cold, full, and dead after
    drive.write({1, 5, 9, 13}); // hot, full, and dead after
    drive.write({1, 5, 9, 13}); // hot
    drive.write({2, 6, 10, 14});
    EXPECT_TRUE(drive.reclaims().empty());
    drive.write({3});
    EXPECT_EQ(drive.reclaims(), Lines{"gc 5 copies 0"});
    drive.write({7, 11, 15, 3}); // 3 is hot: the cold block is dead as well
    EXPECT_EQ(drive.reclaims(), (Lines{"gc 5 copies 0", "gc 4 copies 0"}));
    EXPECT_TRUE(drive.merges().empty());
    drive.expect_consistent();
}

TEST(LastTest, OfColdBlocksTheOneWithTheFewestLogicalBlocksIsReclaimed) {
    Small drive(params_of(1, 2, 2, 1));
    drive.write({1, 5, 9, 13, 2, 3, 2, 6});
    drive.write({10});
    EXPECT_EQ(drive.merges(), (Lines{"merge full of 0: 4 copies, 1 erases",
                                     "merge full of 1: 4 copies, 1 erases"}));
    EXPECT_EQ(drive.reclaims(), Lines{"gc 5 copies 0"});
    drive.expect_consistent();
}

TEST(LastTest, WithoutAFullColdBlockTheOldestIsReclaimed) {
    Small drive(params_of(1, 2, 2, 100));
    drive.write({1, 1, 5, 5, 9}); // hot: 1 5, cold: 1 5 9
    drive.write({9, 1});          // hot is full
    EXPECT_TRUE(drive.merges().empty());
    drive.write({5});
    EXPECT_EQ(drive.merges().size(), 3u);
    EXPECT_EQ(drive.reclaims(), Lines{"gc 5 copies 0"});
    drive.expect_consistent();
}

TEST(LastTest, TrimmedPagesAreNotCopiedAndALogOfThemIsDead) {
    Small drive(params_of(1, 2, 2, 1));
    drive.write({1, 5, 9, 13, 2, 6, 10, 14});
    drive.trim({1, 5, 9, 13});
    drive.write({3});
    EXPECT_EQ(drive.reclaims(), Lines{"gc 4 copies 0"});
    EXPECT_TRUE(drive.merges().empty());
    drive.trim(4);
    drive.write({7, 11, 15, 3}); // full again, the next reclaims the block of 2 6 10 14
    EXPECT_EQ(drive.merges().size(), 4u);
    EXPECT_EQ(drive.merges()[1], "merge full of 1: 2 copies, 1 erases");
    EXPECT_EQ(drive.ftl.location(Lpn{4}), kNoPpn);
    drive.expect_consistent();
}

TEST(LastTest, ALateSwitchComesWithTheNextWriteThatNeedsTheLog) {
    FtlParams params = params_of(1, 3);
    params.eager_switch = false;
    Small drive(params);
    drive.request(4, 4);
    EXPECT_TRUE(drive.merges().empty());
    drive.request(8, 2);
    EXPECT_EQ(drive.merges(), Lines{"merge switch of 1: 0 copies, 1 erases"});
    drive.expect_consistent();
}

TEST(LastTest, FitsSaysWhatWouldBeRight) {
    const Geometry geometry = geometry_of(2, 2, 1, 25, 4);
    FtlParams params;
    params.overprovision = 0.1;
    params.log_blocks = 9;
    EXPECT_EQ(last_why_not(geometry, params), std::nullopt);
    params.log_blocks = 10;
    EXPECT_EQ(last_why_not(geometry, params).value_or(""),
              "ftl.overprovision leaves 10 spare blocks of 100; 11 are needed (sequential log "
              "blocks + random log blocks + 1), a share of at least 0.1100");
    set_own(params, &LastParams::random_logs, 1);
    EXPECT_EQ(last_why_not(geometry, params).value_or(""),
              "1 random log blocks are too few for hot and cold pages; at least 2 beside 2 "
              "sequential ones (ftl.log_blocks, or ftl.last.random_logs)");
    set_own(params, &LastParams::random_logs, 7);
    EXPECT_EQ(last_why_not(geometry, params), std::nullopt);
    set_own(params, &LastParams::sequential_logs, 3);
    EXPECT_NE(last_why_not(geometry, params), std::nullopt);
    EXPECT_THROW(Last(geometry, params, nullptr), ModelError);
}

TEST(LastTest, DamagedStateIsFound) {
    const auto found = [](const std::function<void(Last&)>& damage) {
        Small drive;
        drive.request(8, 2);
        drive.write({5, 9, 13, 5, 9});
        damage(drive.ftl);
        return drive.is_damaged();
    };
    EXPECT_FALSE(found([](Last&) {}));
    EXPECT_TRUE(found([](Last& f) { LastProbe::cool(f, Lpn{5}); }));
    EXPECT_TRUE(found([](Last& f) { LastProbe::close(f); }));
    EXPECT_TRUE(found([](Last& f) { LastProbe::shrink(f); }));
    EXPECT_TRUE(found([](Last& f) { MixedLogFtlProbe::random(f).append(0, Lpn{5}); }));
}

} // namespace
} // namespace cavern
