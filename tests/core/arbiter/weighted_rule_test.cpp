#include "core/arbiter/weighted_rule.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace cavern {
namespace {

std::uint32_t classes(std::initializer_list<std::uint32_t> list) {
    std::uint32_t packed = 0;
    std::uint32_t slot = 0;
    for (const std::uint32_t bus_class : list) {
        packed = with_class(packed, slot++, bus_class);
    }
    return packed;
}

std::vector<std::uint32_t> grants(std::uint32_t slots, std::uint32_t requests, std::uint32_t packed,
                                  int count) {
    WeightedRule rule(slots);
    std::vector<std::uint32_t> list;
    for (int n = 0; n < count; ++n) {
        list.push_back(rule.grant({requests, packed, 0, 0}));
    }
    return list;
}

TEST(WeightedRuleTest, ClassesThatAllAskGetTheirWeights) {
    // Slots 0 to 2 want program data, a command, read-out, and ask at once after each grant.
    EXPECT_EQ(grants(3, 0b111, classes({2, 1, 0}), 18),
              (std::vector<std::uint32_t>{2, 2, 2, 2, 1, 1, 1, 1, 0, 2, 2, 2, 2, 1, 1, 1, 1, 0}));
}

TEST(WeightedRuleTest, ClassAloneIsNotMadeToWait) {
    EXPECT_EQ(grants(4, 0b1010, classes({2, 2, 2, 2}), 5),
              (std::vector<std::uint32_t>{1, 3, 1, 3, 1}));
}

TEST(WeightedRuleTest, CreditsLeftOverAreUsedBeforeAllAreFilledUp) {
    WeightedRule rule(2);
    const std::uint32_t packed = classes({0, 2});
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u);
    EXPECT_EQ(rule.grant({0b10, packed, 0, 0}), 1u); // the only credit of program data
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u); // three of read-out are left
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u);
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u);
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u); // filled up: read-out comes first again
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u);
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u);
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 0u);
    EXPECT_EQ(rule.grant({0b11, packed, 0, 0}), 1u);
}

TEST(WeightedRuleTest, EveryClassHasAPointerOfItsOwn) {
    // With one pointer for all, slot 1's grants would lead from slot 0 to slot 2 for ever, past
    // slot 0: its commands move the pointer to 1, and the next above is 2.
    std::array<int, 4> count{};
    for (const std::uint32_t slot : grants(3, 0b111, classes({2, 1, 2}), 1000)) {
        ++count[slot];
    }
    EXPECT_EQ(count[0], count[2]);
    EXPECT_EQ(count[1], 4 * (count[0] + count[2]));
}

TEST(WeightedRuleTest, ClassThreeCountsAsProgramData) {
    EXPECT_EQ(grants(2, 0b11, classes({3, 2}), 4), (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

} // namespace
} // namespace cavern
