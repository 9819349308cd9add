#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1: eight frames.
ftl_cache_settings example() {
    ftl_cache_settings settings = small_cache();
    settings.groups = 2;
    settings.fill_unwritten = true;
    return settings;
}

TEST(LookUpSqTest, ComparesInTheWorkedExample) {
    LookupCache cache(kLookUpSq, example());
    cache.play("W0 W2 W4 W6 R6 R4 R0 R1 W6 R6");
    EXPECT_EQ(cache->cost.compares, 20);
    EXPECT_EQ(cache->counts.read_hits + cache->counts.write_hits, 5);
    EXPECT_EQ(cache.misses(), 5);
    EXPECT_EQ(cache->counts.flash_reads, 1);
    EXPECT_EQ(cache->counts.flushes, 0);
    EXPECT_EQ(cache.broken(), "");
}
TEST(LookUpSqTest, IsTheNaiveCacheInEveryCountAndOrder) {
    EXPECT_EQ(first_difference(kLookUpSq, 4000), "");
}

TEST(LookUpSqTest, ComparesInTheOrderOfTheArrayWhateverTheList) {
    LookupCache cache(kLookUpSq, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7 R0 R1 R0");
    EXPECT_EQ(cache->cost.compares, 1 + 2 + 1);
}

TEST(LookUpSqTest, AGroupTakesEveryNthFrame) {
    ftl_cache_settings settings = small_cache();
    settings.groups = 4;
    LookupCache cache(kLookUpSq, settings);
    cache.play("W1 W5 R5");
    EXPECT_EQ(cache->lists.frames[1].lpn, 1);
    EXPECT_EQ(cache->lists.frames[5].lpn, 5);
    EXPECT_EQ(cache->cost.compares, 2);
}

} // namespace
