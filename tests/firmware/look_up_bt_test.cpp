#include "lookup_cache.h"

#include <gtest/gtest.h>

using namespace cavern::test;

namespace {

// docs/algorithms.md, LOOK-1.
TEST(LookUpBtTest, ComparesInTheWorkedExample) {
    // R6 R4 R0 in the root 0 2 4 6: 4, 3, 1. R1 ends at 2: 2. It splits the root into 2 over 0 1
    // and 4 6, and 6 takes 1 and 2 from then on, twice.
    EXPECT_EQ(compares_in_worked_example(kLookUpBt, 2), 4 + 3 + 1 + 2 + 3 + 3);
}

TEST(LookUpBtTest, IsTheNaiveCacheInEveryCountAndOrder) {
    EXPECT_EQ(first_difference(kLookUpBt, 4000), "");
}

TEST(LookUpBtTest, AKeyThatIsMissingIsFound) {
    LookupCache cache(kLookUpBt, small_cache());
    cache.play("W0 W1 W2");
    ASSERT_EQ(cache.broken(), "");
    btree_remove(&cache->tree, 1);
    EXPECT_EQ(cache.broken(), "the B-tree has the frame of a cached page");
    btree_insert(&cache->tree, 1, 1);
    ASSERT_EQ(cache.broken(), "");
    btree_insert(&cache->tree, 40, 7);
    EXPECT_EQ(cache.broken(), "the B-tree has as many keys as pages are cached");
}

} // namespace
