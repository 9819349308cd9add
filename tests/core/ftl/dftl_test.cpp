#include "core/ftl/dftl.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/page_ftl.h"
#include "tests/core/ftl/dftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {

/// Damages an FTL, for the tests that expect the damage to be found.
struct DftlProbe {
    static void map_in_flash(Dftl& f, Lpn lpn, std::uint32_t place) {
        f.flash_.set_place(lpn, place);
    }
    static void lose_table(Dftl& f, std::uint32_t table) { f.flash_.directory_[table] = 0; }
    static void miscount(Dftl& f) { ++f.mapped_; }
    static void miscount_tables(Dftl& f) { ++f.flash_.tables_in_flash_; }
    static void invalidate(Dftl& f, Ppn page) { f.space_.invalidate(page); }
    static void relocate(Dftl& f, BlockId block, FlashOpList& ops) {
        f.collector_.relocate(block, f.space_.plane_of(block), Origin::kGc, ops);
    }
    static void change_cached(Dftl& f, Lpn lpn, std::uint32_t place) {
        f.cache_.change(f.cache_.find(lpn), place);
    }
};

namespace {

using testing::brief;
using testing::cached;
using testing::geometry_of;
using testing::Lines;
using testing::params_of;
using testing::read;
using testing::RecordingLog;
using testing::with_entries;
using testing::write;

// docs/algorithms.md, DFTL-1: 16 pages preconditioned, 4 entries a translation page, 3 cached.
class DftlOneTest : public ::testing::TestWithParam<bool> {
  protected:
    DftlOneTest() {
        FlashOpList ops;
        for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
            ftl.write(Lpn{lpn}, PlaneId{0}, ops);
        }
        ftl.empty_cache(ops);
        ftl.reset_counters();
        log.lines.clear();
    }
    RecordingLog log;
    Dftl ftl{with_entries(geometry_of(1, 1, 1, 40, 4), 4), params_of(0.9, 3, GetParam()), &log};
};

INSTANTIATE_TEST_SUITE_P(Of, DftlOneTest, ::testing::Bool(), [](const auto& test) {
    return test.param ? std::string("Shim") : std::string("Original");
});

TEST_P(DftlOneTest, CountsAndCacheAreThoseOfTheExample) {
    const bool shim = GetParam();
    EXPECT_EQ(ftl.table_pages(), 4u);
    for (const char* step : {"R0", "W1", "W5", "W2", "R9", "R1", "W13"}) {
        const std::uint64_t lpn = std::stoull(step + 1);
        step[0] == 'R' ? read(ftl, lpn) : write(ftl, lpn);
    }
    EXPECT_EQ(ftl.own_counters().value_of("map_pages_read"), shim ? 5u : 9u);
    EXPECT_EQ(ftl.own_counters().value_of("map_pages_written"), 2u);
    EXPECT_EQ(ftl.counters().host_pages, 4u);
    EXPECT_EQ(ftl.counters().erases, 0u);
    const Dftl::CacheCounters& count = ftl.cache_counters();
    EXPECT_EQ(count.batches, 2u);
    EXPECT_EQ(count.batch_entries, 3u); // {1,2} and {5}: 1.5 each
    EXPECT_EQ(cached(ftl), (Lines{"9 clean", "1 clean", "13 dirty"}));
    EXPECT_EQ(log.starting_with("map evict"), (Lines{"map evict 0: 2", "map evict 1: 1"}));
    EXPECT_GT(ftl.check_invariants(), 50u);
}

TEST_P(DftlOneTest, EveryLookUpTakesTheOperationsItMust) {
    const bool shim = GetParam();
    // Translation page v has the number 16 + v.
    EXPECT_EQ(brief(read(ftl, 0)), Lines{"read map 16"});
    EXPECT_EQ(brief(write(ftl, 1)),
              shim ? Lines{"program host 1"} : (Lines{"read map 16", "program host 1 after 0"}));
    write(ftl, 5);
    write(ftl, 2);
    // Evicts 1, which is dirty, with 2.
    EXPECT_EQ(brief(read(ftl, 9)),
              (Lines{"read map 16", "program map 16 after 0 copies", "read map 18 after 0"}));
    EXPECT_EQ(brief(read(ftl, 9)), Lines{});
    EXPECT_EQ(ftl.cache_counters().read_hits, 1u);
    EXPECT_EQ(ftl.cache_counters().read_misses, 2u);
    EXPECT_EQ(ftl.cache_counters().write_misses, 3u);
    EXPECT_EQ(ftl.cache_counters().write_hits, 0u);
}

TEST(DftlTest, TheExampleNeedsTheWholeBatchInOneTranslationPage) {
    // The negative control: with one entry a translation page nothing is written back together.
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 60, 4), 1), params_of(0.9, 3), nullptr);
    for (const std::uint64_t lpn : {1, 5, 2, 9, 1, 13}) {
        write(ftl, lpn);
    }
    EXPECT_EQ(ftl.cache_counters().batch_entries, ftl.cache_counters().batches);
}

// docs/algorithms.md, DFTL-2: a data block with valid pages 1, 2, 3 and 9 of which the cache
// holds 2.
TEST(DftlTest, CollectionCopiesLazilyWhatIsCachedAndRewritesEachTranslationPageOnce) {
    RecordingLog log;
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 20, 8), 4), params_of(0.8, 16), &log);
    for (const std::uint64_t lpn : {1, 2, 3, 9, 12, 13, 14, 15}) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    ftl.empty_cache(ops);
    for (const std::uint64_t lpn : {12, 13, 14, 15}) {
        write(ftl, lpn);
    }
    (void)ftl.read(Lpn{2}, ops);
    ops.clear();
    ftl.reset_counters();
    DftlProbe::relocate(ftl, BlockId{0}, ops);
    // Translation page v has the number 32 + v.
    EXPECT_EQ(brief(ops),
              (Lines{"read gc 1", "program gc 1 after 0 copies", "read gc 2",
                     "program gc 2 after 2 copies", "read gc 3", "program gc 3 after 4 copies",
                     "read gc 9", "program gc 9 after 6 copies", "read map 32",
                     "program map 32 after 8 copies", "read map 34",
                     "program map 34 after 10 copies", "erase gc after 11"}));
    EXPECT_EQ(ftl.counters().gc_pages, 4u);
    EXPECT_EQ(ftl.own_counters().value_of("map_pages_read"), 2u);
    EXPECT_EQ(ftl.own_counters().value_of("map_pages_written"), 2u);
    EXPECT_EQ(ftl.cache_counters().lazy_copies, 1u);
    EXPECT_EQ(ftl.cache_counters().gc_batches, 2u);
    EXPECT_EQ(ftl.cache_counters().gc_batch_entries, 3u); // 1 and 3, and 9
    EXPECT_EQ(cached(ftl).back(), "2 dirty");
    EXPECT_EQ(log.starting_with("map batch"), (Lines{"map batch 0: 2", "map batch 2: 1"}));
    EXPECT_GT(ftl.check_invariants(), 50u);
}

// ---- equivalence --------------------------------------------------------------------------------

FlashOpList without_map(const FlashOpList& ops) {
    FlashOpList data;
    std::vector<std::int32_t> place(ops.size(), FlashOp::kNone);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i].origin == Origin::kMapping) {
            continue;
        }
        place[i] = static_cast<std::int32_t>(data.size());
        data.push_back(ops[i]);
        if (ops[i].after != FlashOp::kNone) {
            data.back().after = place[static_cast<std::size_t>(ops[i].after)];
        }
    }
    return data;
}

bool same(const FlashOpList& a, const FlashOpList& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].kind != b[i].kind || a[i].origin != b[i].origin || a[i].page != b[i].page ||
            a[i].lpn != b[i].lpn || a[i].after != b[i].after || a[i].copies != b[i].copies) {
            return false;
        }
    }
    return true;
}

/// Plays writes, trims and padding on both; the number of the first step at which data operations
/// differ, or of steps played.
int first_difference(const Geometry& geometry, FtlParams params, std::uint32_t cache) {
    params.gc_low = 2;
    params.gc_high = 3;
    params.own = DftlParams{cache};
    params.map_cache_most = 8 * geometry.pages();
    PageFtl page(geometry, params, nullptr);
    Dftl dftl(geometry, params, nullptr);
    Random random(99);
    for (int step = 0; step < 100'000; ++step) {
        const Lpn lpn{
            random.below(random.below(2) == 0 ? page.logical_pages() : page.logical_pages() / 5)};
        const PlaneId plane = dftl.plane_of(lpn);
        FlashOpList a;
        FlashOpList b;
        const std::uint64_t what = random.below(20);
        if (what == 0) {
            page.trim(lpn, a);
            dftl.trim(lpn, b);
        } else if (what == 1) {
            page.pad(lpn, plane, a);
            dftl.pad(lpn, plane, b);
        } else if (what < 5) {
            EXPECT_EQ(page.read(lpn, a), dftl.read(lpn, b));
        } else {
            page.write(lpn, plane, a);
            dftl.write(lpn, plane, b);
        }
        if (!same(a, without_map(b))) {
            return step;
        }
    }
    EXPECT_GT(page.counters().gc_pages, 10'000u);
    EXPECT_EQ(dftl.counters().gc_pages, page.counters().gc_pages);
    EXPECT_EQ(dftl.own_counters().value_of("map_pages_read") +
                  dftl.own_counters().value_of("map_pages_written"),
              0u);
    return 100'000;
}

TEST(DftlTest, WithEveryEntryCachedItMakesTheDataOperationsOfPageMapping) {
    for (const bool shared : {false, true}) {
        for (const Geometry& shape : {geometry_of(1, 1, 1, 24, 8), geometry_of(2, 2, 2, 20, 4)}) {
            const Geometry geometry = with_entries(shape, 16);
            FtlParams params = params_of(0.45, 0);
            params.gc_shared_frontier = shared;
            EXPECT_EQ(first_difference(geometry, params, 100'000), 100'000);
            // The negative control: translation pages take room, so a cache that is too small makes
            // other operations.
            EXPECT_LT(first_difference(geometry, params, 8), 100'000);
        }
    }
}

// ---- size of the cache --------------------------------------------------------------------------

TEST(DftlTest, ASmallerCacheWritesBackWhatLeavesAndKeepsTheRest) {
    FtlParams params = params_of(0.9, 8);
    params.map_cache_most = 12 * 8;
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 40, 4), 4), params, nullptr);
    EXPECT_EQ(ftl.cache_bytes(), 64u);
    for (const std::uint64_t lpn : {0, 1, 2, 4, 8, 9, 12, 13}) {
        write(ftl, lpn);
    }
    FlashOpList ops;
    ftl.resize_cache(4 * 8, ops);
    // Translation pages 0 and 1 have never been written: nothing to read.
    EXPECT_EQ(brief(ops), (Lines{"program map 16", "program map 17"}));
    EXPECT_EQ(ftl.cache_counters().batch_entries, 4u);
    EXPECT_EQ(cached(ftl), (Lines{"8 dirty", "9 dirty", "12 dirty", "13 dirty"}));
    ops.clear();
    ftl.resize_cache(10 * 8, ops);
    EXPECT_TRUE(ops.empty());
    EXPECT_EQ(brief(write(ftl, 0)), (Lines{"read map 16", "program host 0 after 0"}));
    EXPECT_EQ(ftl.cache_counters().evictions, 4u);
    ftl.resize_cache(0, ops); // one entry is the least
    EXPECT_EQ(cached(ftl), Lines{"0 dirty"});
    EXPECT_GT(ftl.check_invariants(), 50u);
}

TEST(DftlTest, ATrimmedPageIsAnEntryToBeWrittenBack) {
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 40, 4), 4), params_of(0.9, 2), nullptr);
    write(ftl, 3);
    FlashOpList ops;
    ftl.empty_cache(ops);
    ops.clear();
    ftl.trim(Lpn{3}, ops);
    EXPECT_EQ(brief(ops), Lines{"read map 16"});
    EXPECT_EQ(ftl.location(Lpn{3}), kNoPpn);
    EXPECT_EQ(ftl.mapped_pages(), 0u);
    EXPECT_EQ(cached(ftl), Lines{"3 dirty"});
    EXPECT_TRUE(read(ftl, 3).empty());
    ftl.empty_cache(ops);
    EXPECT_EQ(ftl.location(Lpn{3}), kNoPpn);
    EXPECT_TRUE(read(ftl, 3).empty()) << "nothing is mapped: nothing is looked up";
    EXPECT_GT(ftl.check_invariants(), 50u);
}

// 16 pages, 4 entries a translation page: 16 .. 19 are the numbers of the translation pages.
TEST_P(DftlOneTest, ATrimOfManyPagesRewritesEachTranslationPageOnce) {
    FlashOpList ops;
    ftl.trim_range(Lpn{1}, 8, ops); // 1 2 3, 4 5 6 7, and 8 alone, which is looked up
    Lines expected{"read map 16", "program map 16 after 0 copies", "read map 17",
                   "program map 17 after 2 copies"};
    if (!GetParam()) {
        expected.push_back("read map 18");
    }
    EXPECT_EQ(brief(ops), expected);
    EXPECT_EQ(ftl.own_counters().value_of("map_pages_written"), 2u);
    EXPECT_EQ(cached(ftl), Lines{"8 dirty"});
    EXPECT_EQ(ftl.mapped_pages(), 8u);
    for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
        EXPECT_EQ(ftl.location(Lpn{lpn}) == kNoPpn, lpn >= 1 && lpn <= 8) << lpn;
    }
    EXPECT_GT(ftl.check_invariants(), 50u);
    ops.clear();
    ftl.trim_range(Lpn{1}, 8, ops);
    EXPECT_TRUE(ops.empty()) << "nothing is mapped any more";
}

// What is cached changes in the cache; where a translation page is rewritten, it goes along.
TEST_P(DftlOneTest, ATrimTakesDirtyEntriesOfTheTranslationPageWithIt) {
    write(ftl, 0);
    write(ftl, 1);
    FlashOpList ops;
    ftl.trim_range(Lpn{1}, 3, ops);
    EXPECT_EQ(brief(ops), (Lines{"read map 16", "program map 16 after 0 copies"}));
    EXPECT_EQ(cached(ftl), (Lines{"0 clean", "1 clean"}));
    EXPECT_EQ(ftl.location(Lpn{1}), kNoPpn);
    EXPECT_NE(ftl.location(Lpn{0}), kNoPpn);
    EXPECT_GT(ftl.check_invariants(), 50u);
}

TEST(DftlTest, PagesAreStripedChannelsFirst) {
    const Geometry geometry = with_entries(geometry_of(2, 2, 2, 20, 4), 4);
    Dftl ftl(geometry, params_of(0.7, 8), nullptr);
    std::vector<std::uint32_t> planes;
    for (std::uint64_t lpn = 0; lpn < 9; ++lpn) {
        planes.push_back(raw(ftl.plane_of(Lpn{lpn})));
    }
    EXPECT_EQ(planes, (std::vector<std::uint32_t>{0, 2, 4, 6, 1, 3, 5, 7, 0}));
    // Four pages of each plane share a translation page.
    EXPECT_EQ(ftl.table_of(Lpn{1}), 1u);
    EXPECT_EQ(ftl.table_of(Lpn{1 + 3 * 8}), 1u);
    EXPECT_EQ(ftl.table_of(Lpn{1 + 4 * 8}), 9u);
}

// ---- invariants ---------------------------------------------------------------------------------

TEST(DftlTest, EveryPageIsComparedAndTheNumberOfTranslationPages) {
    const Geometry geometry = with_entries(geometry_of(1, 1, 1, 24, 4), 4);
    const TranslationMap map(geometry, params_of(0.5, 6));
    EXPECT_EQ(map.check_invariants(), 48u + 1u);
}

TEST(DftlTest, EveryDamageIsFound) {
    const auto found = [](const auto& damage) {
        Dftl ftl(with_entries(geometry_of(1, 1, 1, 24, 4), 4), params_of(0.5, 6), nullptr);
        Random random(7);
        for (int step = 0; step < 500; ++step) {
            write(ftl, random.below(ftl.logical_pages()));
        }
        write(ftl, 5);
        ftl.check_invariants();
        damage(ftl);
        try {
            ftl.check_invariants();
        } catch (const ModelError&) {
            return true;
        }
        return false;
    };
    using Probe = DftlProbe;
    const auto uncached = [](const Dftl& f) {
        Lpn lpn{0};
        while (f.cache().find(lpn) != MappingCache::kNone || f.location(lpn) == kNoPpn) {
            lpn = Lpn{raw(lpn) + 1};
        }
        return lpn;
    };
    EXPECT_FALSE(found([](Dftl&) {}));
    EXPECT_TRUE(found([&](Dftl& f) { Probe::map_in_flash(f, uncached(f), 1); }));
    EXPECT_TRUE(found([&](Dftl& f) { Probe::map_in_flash(f, uncached(f), 0); }));
    EXPECT_TRUE(found([](Dftl& f) { Probe::lose_table(f, 2); }));
    EXPECT_TRUE(found([](Dftl& f) { Probe::miscount(f); }));
    EXPECT_TRUE(found([](Dftl& f) { Probe::miscount_tables(f); }));
    EXPECT_TRUE(found([&](Dftl& f) { Probe::invalidate(f, f.location(uncached(f))); }));
    EXPECT_TRUE(found([](Dftl& f) { Probe::change_cached(f, Lpn{5}, 1); }));
}

} // namespace
} // namespace cavern
