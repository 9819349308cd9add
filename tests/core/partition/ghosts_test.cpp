// What has left the buffer and the mapping cache, beside naive lists and by the worked examples.

#include <algorithm>
#include <list>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/partition/ghost_buffer.h"
#include "core/partition/ghost_map.h"

namespace cavern::testing {
namespace {

// ---- ghost buffer -------------------------------------------------------------------------------

TEST(GhostBufferTest, ThePageThatLeftLongestAgoIsForgottenFirst) {
    GhostBuffer ghost(4, 3);
    for (const std::uint64_t lpn : {1, 2, 3, 1, 4}) {
        ghost.insert(Lpn{lpn});
    }
    EXPECT_EQ(ghost.pages(), (std::vector<Lpn>{Lpn{3}, Lpn{1}, Lpn{4}}));
    ghost.erase(Lpn{1});
    ghost.erase(Lpn{9});
    EXPECT_FALSE(ghost.contains(Lpn{1}));
    EXPECT_TRUE(ghost.contains(Lpn{3}));
    ghost.set_capacity(1);
    EXPECT_EQ(ghost.pages(), std::vector<Lpn>{Lpn{4}});
    ghost.set_capacity(0);
    ghost.insert(Lpn{5});
    EXPECT_EQ(ghost.size(), 0u);
    ghost.set_capacity(9);
    EXPECT_EQ(ghost.capacity(), 4u);
}

TEST(GhostBufferTest, ManyRandomStepsLeaveTheOrderOfANaiveList) {
    GhostBuffer ghost(50, 20);
    std::list<Lpn> naive;
    Random random(5);
    for (int step = 0; step < 200'000; ++step) {
        const Lpn lpn{random.below(80)};
        ASSERT_EQ(ghost.contains(lpn), std::count(naive.begin(), naive.end(), lpn) == 1);
        const std::uint64_t what = random.below(10);
        if (what < 7) {
            ghost.insert(lpn);
            naive.remove(lpn);
            naive.push_back(lpn);
        } else if (what < 9) {
            ghost.erase(lpn);
            naive.remove(lpn);
        } else {
            ghost.set_capacity(static_cast<std::uint32_t>(1 + random.below(50)));
        }
        while (naive.size() > ghost.capacity()) {
            naive.pop_front();
        }
        if (step % 100 == 0) {
            ASSERT_EQ(ghost.pages(), std::vector<Lpn>(naive.begin(), naive.end()));
        }
    }
}

// ---- ghost mapping ------------------------------------------------------------------------------

std::vector<std::uint64_t> bits_of(const GhostMap& ghost, std::uint64_t bits) {
    std::vector<std::uint64_t> set;
    for (std::uint64_t bit = 0; bit < bits; ++bit) {
        if (ghost.is_set(bit)) {
            set.push_back(bit);
        }
    }
    return set;
}

// docs/algorithms.md, GH-1.
TEST(GhostMapTest, BitsAndSizesAreThoseOfTheExample) {
    GhostMap ghost(16, 3.0, 4, false);
    for (const std::uint64_t lpn : {1, 17, 2, 3, 4}) {
        ghost.insert(Lpn{lpn});
    }
    EXPECT_EQ(bits_of(ghost, 16), (std::vector<std::uint64_t>{2, 3, 4}));
    EXPECT_EQ(ghost.size(), 4u);
    EXPECT_FALSE(ghost.take(Lpn{17}));
    EXPECT_TRUE(ghost.take(Lpn{2}));
    EXPECT_EQ(bits_of(ghost, 16), (std::vector<std::uint64_t>{3, 4}));
    EXPECT_EQ(ghost.size(), 3u);

    GhostMap crowded(8, 3.0, 9, false);
    for (std::uint64_t lpn = 0; lpn <= 72; lpn += 8) {
        crowded.insert(Lpn{lpn});
    }
    EXPECT_EQ(bits_of(crowded, 8), std::vector<std::uint64_t>{0});
    EXPECT_EQ(crowded.size(), 9u);
}

TEST(GhostMapTest, TheBitToGoIsFoundAcrossWordsAndRoundTheEnd) {
    GhostMap ghost(256, 3.0, 3, false);
    for (const std::uint64_t lpn : {200, 70, 5, 250}) {
        ghost.insert(Lpn{lpn});
    }
    EXPECT_EQ(bits_of(ghost, 256), (std::vector<std::uint64_t>{70, 200, 250}));
    ghost.insert(Lpn{6});
    EXPECT_EQ(bits_of(ghost, 256), (std::vector<std::uint64_t>{70, 200, 250})); // 6 is next
    ghost.set_capacity(1);
    EXPECT_EQ(bits_of(ghost, 256), std::vector<std::uint64_t>{250});
    ghost.set_capacity(2);
    ghost.insert(Lpn{10});
    ghost.insert(Lpn{20});
    EXPECT_EQ(bits_of(ghost, 256), (std::vector<std::uint64_t>{10, 20})); // 250, behind the cursor
    ghost.clear();
    EXPECT_EQ(ghost.size() + ghost.bits_set(), 0u);
}

TEST(GhostMapTest, WithRoomNearlyEveryEntryThatLeftIsFoundOnceAndFewOthers) {
    GhostMap ghost(1u << 20, 3.0, 10'000);
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        ghost.insert(Lpn{lpn * 37});
    }
    std::uint64_t wrong = 0;
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        wrong += ghost.is_set(0) && ghost.take(Lpn{lpn * 37 + 1}) ? 1 : 0;
    }
    std::uint64_t found = 0;
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        found += ghost.take(Lpn{lpn * 37}) ? 1 : 0;
    }
    EXPECT_LT(wrong, 200u);
    EXPECT_GT(found, 9'700u);
    for (std::uint64_t lpn = 0; lpn < 10'000; ++lpn) {
        EXPECT_FALSE(ghost.take(Lpn{lpn * 37}));
    }
}

TEST(GhostMapTest, ItsSizeIsNeverBeyondItsCapacityNorBelowItsBitsByMoreThanAlpha) {
    GhostMap ghost(256, 3.0, 100);
    Random random(8);
    for (int step = 0; step < 100'000; ++step) {
        if (random.below(3) == 0) {
            (void)ghost.take(Lpn{random.below(1000)});
        } else {
            ghost.insert(Lpn{random.below(1000)});
        }
        if (random.below(50) == 0) {
            ghost.set_capacity(random.below(600));
        }
        ASSERT_LE(ghost.size(), ghost.capacity());
        ASSERT_LE(ghost.bits_set(), 256u);
        ASSERT_LE(ghost.bits_set(), ghost.size() + 1);
    }
}

} // namespace
} // namespace cavern::testing
