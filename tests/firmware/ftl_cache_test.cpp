#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

using Pages = std::vector<std::uint32_t>;

TEST(FtlCacheTest, AFirstWriteIsNotSearchedFor) {
    LookupCache cache(kLookUpLm, small_cache());
    cache.write(3);
    EXPECT_EQ(cache->cost.look_ups, 0);
    EXPECT_EQ(cache->counts.first_writes, 1);
    cache.write(3);
    EXPECT_EQ(cache->cost.look_ups, 1);
    EXPECT_EQ(cache->counts.write_hits, 1);
}

TEST(FtlCacheTest, TheLeastRecentlyUsedLeavesAndIsProgrammedOnlyWhenDirty) {
    LookupCache cache(kLookUpMl, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7 R0 W8");
    EXPECT_EQ(cache.pages(0), (Pages{2, 3, 4, 5, 6, 7, 0, 8}));
    EXPECT_EQ(cache->counts.flushes, 1);
    EXPECT_EQ(ftl_cache_page(cache.get(), 1), 0); // the first page of flash
    // Read back it is clean, and leaves without a program.
    cache.play("R1 R3 R4 R5 R6 R7 R0 R8 R1");
    EXPECT_EQ(cache->counts.flushes, 2); // 2 left for 1
    cache.play("R2");
    EXPECT_EQ(cache->counts.flushes, 3); // 3 left for 2
    EXPECT_EQ(cache.broken(), "");
}

TEST(FtlCacheTest, APageNeverWrittenIsZerosWithoutAFrame) {
    LookupCache cache(kLookUpSq, small_cache());
    cache.read(7);
    EXPECT_EQ(cache->counts.unwritten_reads, 1);
    EXPECT_EQ(cache->cost.look_ups, 0);
    EXPECT_EQ(cache.pages(0), Pages(8, kNoPage));
}

TEST(FtlCacheTest, ByTheLetterAReadOfAPageNeverWrittenFillsAFrameAndAWriteFindsIt) {
    // Fig. 1 writes a page that was never written without looking for it. After a read that filled
    // a frame there would be two frames of one page, had the read not said so in the map.
    ftl_cache_settings settings = small_cache();
    settings.fill_unwritten = true;
    LookupCache cache(kLookUpMl, settings);
    cache.play("R7 W7");
    EXPECT_EQ(cache->counts.flash_reads, 1);
    EXPECT_EQ(cache->counts.write_hits, 1);
    EXPECT_EQ(cache->counts.first_writes, 0);
    EXPECT_EQ(cache.broken(), "");
}

TEST(FtlCacheTest, TwoFramesOfOnePageAreFound) {
    LookupCache cache(kLookUpMl, small_cache());
    cache.play("W0 W1");
    ASSERT_EQ(cache.broken(), "");
    cache->lists.frames[5].lpn = 1;
    EXPECT_EQ(cache.broken(), "a page that is only in the cache is in it once");
}

TEST(FtlCacheTest, GroupsHaveListsOfTheirOwn) {
    ftl_cache_settings settings = small_cache();
    settings.groups = 2;
    LookupCache cache(kLookUpLm, settings);
    cache.play("W0 W2 W1 W4 R0");
    EXPECT_EQ(cache.pages(0), (Pages{kNoPage, 2, 4, 0}));
    EXPECT_EQ(cache.pages(1), (Pages{kNoPage, kNoPage, kNoPage, 1}));
}

class FtlCacheLinksTest : public testing::TestWithParam<const look_up*> {};

TEST_P(FtlCacheLinksTest, EachBrokenLinkIsFound) {
    LookupCache cache(*GetParam(), small_cache());
    cache.play("W0 W1 W2 R1 W9 W8");
    ASSERT_EQ(cache.broken(), "");
    lru_lists& lists = cache->lists;
    frame* const middle = lists.frames + 6; // between 5 and 7
    const frame kept = *middle;
    if (lists.packed) {
        middle->packed.nlink = 0;
    } else {
        middle->pointers.nlink = lists.frames;
    }
    EXPECT_EQ(cache.broken(), "the links of an LRU list agree in both directions");
    *middle = kept;
    if (lists.packed) {
        middle->packed.plink = 1;
    } else {
        middle->pointers.plink = lists.frames + 1;
    }
    EXPECT_EQ(cache.broken(), "the links of an LRU list agree in both directions");
    *middle = kept;
    if (lists.packed) {
        middle->packed.nlink = kNoIndex;
    } else {
        middle->pointers.nlink = nullptr;
    }
    EXPECT_EQ(cache.broken(), "CMRU is the last of its list");
    *middle = kept;
    lists.clru[0] = lru_next(&lists, lists.clru[0]);
    EXPECT_NE(cache.broken(), "");
}

INSTANTIATE_TEST_SUITE_P(, FtlCacheLinksTest, testing::Values(&kLookUpLm, &kLookUpDx),
                         [](const auto& each) { return std::string(each.param->name); });

TEST(FtlCacheTest, TwoPagesInOnePlaceAreFound) {
    LookupCache cache(kLookUpSg, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7 W8 W9"); // 0 and 1 are in flash
    ASSERT_EQ(cache.broken(), "");
    cache->map[1] = cache->map[0];
    EXPECT_EQ(cache.broken(), "the spare area of a mapped page names its logical page");
}

TEST(FtlCacheTest, AValidPageTooManyIsFound) {
    LookupCache cache(kLookUpSg, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7 W8 W9");
    ++cache->flash.valid[0];
    EXPECT_EQ(cache.broken(), "as many flash pages are valid as are mapped");
}

// All pages written once, then writes all over them: the flash fills up.
void overwrite(LookupCache& cache, std::uint32_t writes) {
    for (std::uint32_t lpn = 0; lpn < 64; ++lpn) {
        cache.write(lpn);
    }
    for (std::uint32_t i = 0; i < writes; ++i) {
        cache.write(i * 37 % 64);
    }
}

TEST(FtlCacheCollectionTest, KeepsFreePagesBetweenItsWatermarks) {
    LookupCache cache(kLookUpDx, small_cache());
    overwrite(cache, 0);
    struct random random {};
    random_seed(&random, 1, 1);
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const std::uint64_t before = cache->counts.collections;
        const std::uint64_t flushes = cache->counts.flushes;
        const std::uint32_t free = cache->flash.free_pages;
        cache.write(random_below(&random, 64));
        if (cache->counts.collections > before) {
            EXPECT_LE(free, 4);                        // started at the low watermark
            EXPECT_GE(cache->flash.free_pages, 8 - 1); // stopped at the high one; one program since
            EXPECT_LT(cache->flash.free_pages, 8 + 4); // and not a block later
        } else if (cache->counts.flushes > flushes) {
            EXPECT_GE(free, 4 + 1);
        }
        ASSERT_EQ(cache.broken(), "");
    }
    EXPECT_GT(cache->counts.collections, 100);
    EXPECT_GT(cache->counts.copies, 100);
    EXPECT_EQ(cache->counts.least_free, 4);
}

TEST(FtlCacheCollectionTest, DoesNotStartOneFreePageEarlier) {
    // 96 pages of flash, 8 of which stay in the cache: 92 flushes leave 4 free.
    LookupCache cache(kLookUpMl, small_cache());
    overwrite(cache, 36);
    EXPECT_EQ(cache->counts.flushes, 92);
    EXPECT_EQ(cache->flash.free_pages, 4);
    EXPECT_EQ(cache->counts.collections, 0);
    cache.write(36 * 37 % 64);
    EXPECT_GT(cache->counts.collections, 0);
}

TEST(FtlCacheCollectionTest, MovesCachedCleanPagesUnderEachLookUp) {
    for (std::uint32_t i = 0; i < kLookUpCount; ++i) {
        LookupCache cache(*kLookUps[i], small_cache());
        overwrite(cache, 100);
        for (std::uint32_t k = 0; k < 500; ++k) {
            cache.read(k % 6); // cached, clean
            cache.write(6 + k * 29 % 58);
            ASSERT_EQ(cache.broken(), "") << kLookUps[i]->name;
        }
        EXPECT_GT(cache->counts.copies, 0);
    }
}

TEST(FtlCacheCollectionTest, VictimsAreDrawnAtRandomAmongBlocksWithGarbage) {
    flash_space space{};
    std::vector<std::uint64_t> memory(4096);
    arena arena{reinterpret_cast<std::uint8_t*>(memory.data()), 8 * memory.size(), 0};
    ASSERT_TRUE(flash_space_start(&space, &arena, 16, 4, 1));
    for (std::uint32_t i = 0; i < 40; ++i) { // ten full blocks
        flash_space_program(&space, i);
    }
    EXPECT_EQ(flash_space_victim(&space), kNoBlock); // no garbage
    for (const std::uint32_t page : {4U, 12U, 13U, 36U}) {
        flash_space_invalidate(&space, page);
    }
    std::vector<int> drawn(16);
    for (int i = 0; i < 3000; ++i) {
        ++drawn[flash_space_victim(&space)];
    }
    for (std::uint32_t block = 0; block < 16; ++block) {
        if (block == 1 || block == 3 || block == 9) {
            EXPECT_NEAR(drawn[block], 1000, 120); // 4.6 standard deviations
        } else {
            EXPECT_EQ(drawn[block], 0);
        }
    }
}

TEST(FtlCacheTest, GoesOnUnderAnotherLookUpAsIfItHadBeenThere) {
    for (std::uint32_t to = 0; to < kLookUpCount; ++to) {
        ftl_cache_settings settings = small_cache();
        settings.groups = 4;
        LookupCache cache(*kLookUps[to], settings);
        NaiveCache naive(*kLookUps[to], settings);
        ASSERT_EQ(difference_after(cache, naive, 300, to), "");
        ftl_cache_change_look_up(cache.get(), &kLookUpDx);
        ASSERT_EQ(cache.broken(), "");
        ftl_cache_change_look_up(cache.get(), kLookUps[to]);
        EXPECT_EQ(difference_after(cache, naive, 300, to + 100), "") << kLookUps[to]->name;
    }
}

TEST(FtlCacheTest, SettingsThatCannotBeAreRefused) {
    const auto refused = [](auto change, const look_up& how = kLookUpSg) {
        ftl_cache_settings settings = small_cache();
        change(settings);
        const char* const what = ftl_cache_refuses(&settings, &how);
        return std::string(what == nullptr ? "" : what);
    };
    using S = ftl_cache_settings;
    EXPECT_EQ(refused([](S&) {}), "");
    EXPECT_NE(refused([](S& s) { s.frames = 0; }), "");
    EXPECT_NE(refused([](S& s) { s.frames = 65536; }), "");
    EXPECT_NE(refused([](S& s) { s.groups = 9; }), "");
    EXPECT_NE(refused([](S& s) { s.frames = 200, s.groups = 128; }), "");
    EXPECT_EQ(refused([](S& s) { s.frames = 200, s.groups = 128; }, kLookUpLm), "");
    EXPECT_NE(refused([](S& s) { s.order = 4; }), "");
    EXPECT_NE(refused([](S& s) { s.order = 11; }), "");
    EXPECT_NE(refused([](S& s) { s.high_watermark = 4; }), "");
    EXPECT_NE(refused([](S& s) { s.low_watermark = 3; }), "");
    EXPECT_NE(refused([](S& s) { s.blocks = 16; }), "");
    // 2^25 pages of flash: the last two have the numbers of the codes.
    EXPECT_NE(refused([](S& s) { s.blocks = 131072, s.pages_per_block = 256; }), "");
}

} // namespace
