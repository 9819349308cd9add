#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1.
TEST(LookUpLmTest, ComparesInTheWorkedExample) {
    EXPECT_EQ(compares_in_worked_example(kLookUpLm, 2), 18);
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
