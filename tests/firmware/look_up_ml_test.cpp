#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1.
TEST(LookUpMlTest, ComparesInTheWorkedExample) {
    EXPECT_EQ(compares_in_worked_example(kLookUpMl, 2), 15);
}

TEST(LookUpMlTest, IsTheNaiveCacheInEveryCountAndOrder) {
    EXPECT_EQ(first_difference(kLookUpMl, 4000), "");
}

TEST(LookUpMlTest, FindsTheMostRecentlyUsedFirst) {
    LookupCache cache(kLookUpMl, small_cache());
    cache.play("W0 W1 W2 W3 W4 W5 W6 W7");
    cache.read(0);
    EXPECT_EQ(cache->cost.compares, 8);
    cache.read(0);
    EXPECT_EQ(cache->cost.compares, 8 + 1);
}

TEST(LookUpMlTest, APointerThatIsNotMovedIsFound) {
    // The control: a frame that was used stays where it was.
    LookupCache cache(kLookUpMl, small_cache());
    NaiveCache naive(kLookUpMl, small_cache());
    ASSERT_EQ(difference_after(cache, naive, 200, 1), "");
    lru_touch(&cache->lists, cache->lists.clru[0], 0);
    EXPECT_NE(difference_after(cache, naive, 100, 2), "");
}

} // namespace
