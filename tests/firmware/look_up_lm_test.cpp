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

TEST(LookUpLmTest, ComparesInTheWorkedExample) {
    LookupCache cache(kLookUpLm, example());
    cache.play("W0 W2 W4 W6 R6 R4 R0 R1 W6 R6");
    EXPECT_EQ(cache->cost.compares, 18);
    EXPECT_EQ(cache->counts.read_hits + cache->counts.write_hits, 5);
    EXPECT_EQ(cache.misses(), 5);
    EXPECT_EQ(cache->counts.flash_reads, 1);
    EXPECT_EQ(cache->counts.flushes, 0);
    EXPECT_EQ(cache.broken(), "");
}
TEST(LookUpLmTest, IsTheNaiveCacheInEveryCountAndOrder) {
    EXPECT_EQ(first_difference(kLookUpLm, 4000), "");
}

TEST(LookUpLmTest, FindsTheLeastRecentlyUsedFirst) {
    LookupCache cache(kLookUpLm, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7");
    cache.read(0);
    EXPECT_EQ(cache->cost.compares, 1);
    cache.read(0); // the most recently used now
    EXPECT_EQ(cache->cost.compares, 1 + 8);
}

TEST(LookUpLmTest, AnotherDirectionIsFound) {
    // The control: the naive search from the other end.
    LookupCache cache(kLookUpLm, small_cache());
    NaiveCache naive(kLookUpMl, small_cache());
    EXPECT_NE(difference_after(cache, naive, 100, 1).find("compares"), std::string::npos);
}

} // namespace
