#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1.
TEST(LookUpDxTest, ComparesInTheWorkedExample) {
    EXPECT_EQ(compares_in_worked_example(kLookUpDx, 2), 0);
}

TEST(LookUpDxTest, IsTheNaiveCacheInEveryCountAndOrder) {
    EXPECT_EQ(first_difference(kLookUpDx, 4000), "");
}

TEST(LookUpDxTest, TheMapWordOfACachedPageHasItsFrameAndTheFrameThePage) {
    LookupCache cache(kLookUpDx, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7 W8 R0");
    // 0 and 1 have left: 0 to the first page of flash, from where it was read into frame 1.
    EXPECT_EQ(cache->map[0], map_word(1, 1));
    EXPECT_EQ(cache->lists.frames[1].packed.page, 0);
    EXPECT_EQ(cache->map[1], map_word(0, 1));
    EXPECT_EQ(ftl_cache_page(cache.get(), 0), 0);
    EXPECT_EQ(ftl_cache_page(cache.get(), 8), kOnlyInCache);
}

TEST(LookUpDxTest, AWrongFrameIsFound) {
    LookupCache cache(kLookUpDx, small_cache());
    cache.play("W0 W1 W2");
    ASSERT_EQ(cache.broken(), "");
    cache->map[2] = map_word(1, 1);
    EXPECT_EQ(cache.broken(), "the map word of a cached page has its frame");
    cache->map[2] = map_word(1, 2);
    ASSERT_EQ(cache.broken(), "");
    cache->map[9] = map_word(1, 2);
    EXPECT_NE(cache.broken(), "");
}

} // namespace
