#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1.
TEST(LookUpSqTest, ComparesInTheWorkedExample) {
    EXPECT_EQ(compares_in_worked_example(kLookUpSq, 2), 20);
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
