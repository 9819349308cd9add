#include "core/base/flat_map.h"

#include <gtest/gtest.h>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"

namespace cavern {
namespace {

/// Applies the same random calls to a FlatMap and to the standard's map; every answer must agree.
/// `key_of` turns a small number into a key, which decides how keys collide.
template <typename KeyOf>
void compare(std::size_t capacity, std::uint64_t distinct, std::uint64_t steps, KeyOf key_of) {
    FlatMap map(capacity);
    std::unordered_map<std::uint64_t, std::uint32_t> reference;
    Random random(distinct);
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::uint64_t key = key_of(random.below(distinct));
        switch (random.below(4)) {
        case 0:
        case 1: {
            const auto value = static_cast<std::uint32_t>(random.below(FlatMap::kNone));
            map.set(key, value);
            reference[key] = value;
            break;
        }
        case 2:
            ASSERT_EQ(map.erase(key), reference.erase(key) == 1);
            break;
        default:
            break;
        }
        const auto found = reference.find(key);
        ASSERT_EQ(map.find(key), found == reference.end() ? FlatMap::kNone : found->second);
        ASSERT_EQ(map.size(), reference.size());
    }
    for (std::uint64_t n = 0; n < distinct; ++n) {
        const auto found = reference.find(key_of(n));
        ASSERT_EQ(map.find(key_of(n)), found == reference.end() ? FlatMap::kNone : found->second);
    }
}

TEST(FlatMapTest, AgreesWithTheStandardMapOverAMillionCalls) {
    compare(600, 1000, 1'000'000, [](std::uint64_t n) { return n; });
}

TEST(FlatMapTest, AgreesForKeysOverAllSixtyFourBits) {
    compare(600, 1000, 200'000, [](std::uint64_t n) { return Random(n).next(); });
}

TEST(FlatMapTest, AgreesForKeysThatDifferOnlyInTheirHighBits) {
    compare(64, 64, 200'000, [](std::uint64_t n) { return n << 58; });
}

// The home slot of a key is (key * 0x9E37..7C15 >> 24) mod slots. Multiplying by the inverse of
// that odd number gives keys with the homes wanted: long runs, also over the end of the table.
std::uint64_t key_with_home(std::uint64_t home, std::uint64_t variant) {
    constexpr std::uint64_t kInverse = 0xF1DE83E19937733Du;
    static_assert(kInverse * 0x9E3779B97F4A7C15u == 1);
    return ((home << 24) | variant) * kInverse;
}

TEST(FlatMapTest, AgreesWhenAllKeysShareOneHome) {
    compare(40, 40, 200'000, [](std::uint64_t n) { return key_with_home(5, n); });
}

TEST(FlatMapTest, AgreesWhenRunsWrapRoundTheEnd) {
    // 64 slots for 40 entries: homes 60..63 and 0, with runs of 40.
    compare(40, 40, 200'000, [](std::uint64_t n) { return key_with_home(60 + n % 5, n); });
}

TEST(FlatMapTest, ErasingMovesLaterEntriesBackButNotBeforeTheirHome) {
    FlatMap map(8);                   // 16 slots
    map.set(key_with_home(3, 0), 30); // slot 3
    map.set(key_with_home(3, 1), 31); // slot 4
    map.set(key_with_home(5, 0), 50); // slot 5, at home
    map.set(key_with_home(3, 2), 32); // slot 6
    EXPECT_TRUE(map.erase(key_with_home(3, 1)));
    EXPECT_EQ(map.find(key_with_home(3, 0)), 30u);
    EXPECT_EQ(map.find(key_with_home(5, 0)), 50u);
    EXPECT_EQ(map.find(key_with_home(3, 2)), 32u);
    EXPECT_EQ(map.find(key_with_home(3, 1)), FlatMap::kNone);
    EXPECT_FALSE(map.erase(key_with_home(3, 1)));
}

TEST(FlatMapTest, GrowsBeyondTheCapacityGiven) {
    FlatMap map(1);
    for (std::uint64_t key = 0; key < 100'000; ++key) {
        map.set(key * 3, static_cast<std::uint32_t>(key));
    }
    EXPECT_EQ(map.size(), 100'000u);
    for (std::uint64_t key = 0; key < 100'000; ++key) {
        ASSERT_EQ(map.find(key * 3), key);
    }
    EXPECT_EQ(map.find(1), FlatMap::kNone);
}

TEST(FlatMapTest, AnEmptyMapFindsNothing) {
    FlatMap map(0);
    EXPECT_EQ(map.find(0), FlatMap::kNone);
    EXPECT_FALSE(map.erase(0));
    EXPECT_EQ(map.size(), 0u);
}

} // namespace
} // namespace cavern
