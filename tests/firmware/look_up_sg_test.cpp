#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1.
TEST(LookUpSgTest, ComparesInTheWorkedExample) {
    EXPECT_EQ(compares_in_worked_example(kLookUpSg, 4), 8);
}

TEST(LookUpSgTest, IsTheNaiveCacheInEveryCountAndOrder) {
    EXPECT_EQ(first_difference(kLookUpSg, 4000), "");
}

TEST(LookUpSgTest, ComparesNothingForAPageThatIsNotCached) {
    LookupCache cache(kLookUpSg, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7 W8"); // 0 leaves
    const std::uint64_t before = cache->cost.compares;
    cache.read(0);
    EXPECT_EQ(cache->cost.compares, before);
    EXPECT_EQ(cache->counts.flash_reads, 1);
}

TEST(LookUpSgTest, AHundredAndTwentySevenGroupsHoldAllFramesOfThePaper) {
    // 16384 div 127 = 129 frames would leave one frame over, whose group has no code in 7 bits.
    ftl_cache_settings settings = small_cache();
    settings.frames = 16384;
    settings.groups = 127;
    settings.logical_pages = 20000;
    settings.blocks = 6000;
    LookupCache cache(kLookUpSg, settings);
    EXPECT_EQ(cache->search_group_frames, 130);
    for (std::uint32_t lpn = 0; lpn < 16384; ++lpn) {
        cache.write(lpn);
    }
    EXPECT_EQ(map_search_bits(cache->map[16383]), 127);
    EXPECT_EQ(cache.broken(), "");
}

TEST(LookUpSgTest, APageThatIsOnlyInTheCacheKeepsItsBits) {
    LookupCache cache(kLookUpSg, small_cache());
    cache.write(5);
    EXPECT_EQ(cache->map[5], map_word(1, kOnlyInCache));
}

TEST(LookUpSgTest, AWrongBitIsFound) {
    ftl_cache_settings settings = small_cache();
    settings.groups = 4;
    LookupCache cache(kLookUpSg, settings);
    cache.play("W0 W1 W2");
    ASSERT_EQ(cache.broken(), "");
    cache->map[2] = map_word(3, kOnlyInCache);
    EXPECT_EQ(cache.broken(), "the bits of a cached page name its search group");
    cache->map[2] = map_word(2, kOnlyInCache);
    ASSERT_EQ(cache.broken(), "");
    cache->map[9] = map_word(1, kNeverWritten);
    EXPECT_EQ(cache.broken(), "no page that is not cached has bits for the search");
}

} // namespace
