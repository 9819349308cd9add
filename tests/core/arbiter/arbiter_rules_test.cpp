#include "core/arbiter/arbiter_rules.h"

#include <gtest/gtest.h>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "tests/cosim/arbiter_print.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kRoundRobin = ArbiterPolicy::kRoundRobin;
constexpr ArbiterPolicy kPriorityAge = ArbiterPolicy::kPriorityAge;
constexpr ArbiterOutputs kIdle{false, 0, 0};

constexpr ArbiterOutputs holder(std::uint32_t slot) {
    return {true, 1u << slot, slot};
}

/// Two bits a slot, slot 0 first.
std::uint32_t classes(std::initializer_list<std::uint32_t> list) {
    std::uint32_t packed = 0;
    std::uint32_t slot = 0;
    for (const std::uint32_t bus_class : list) {
        packed = with_class(packed, slot++, bus_class);
    }
    return packed;
}

TEST(ArbiterRulesTest, RoundRobinTakesTheFirstRequestAfterTheLastGrant) {
    EXPECT_EQ(choose(kRoundRobin, {0b1011, 0, 0, 1}), 3u);
    EXPECT_EQ(choose(kRoundRobin, {0b0011, 0, 0, 3}), 0u);
    EXPECT_EQ(choose(kRoundRobin, {0b0110, 0, 0, 2}), 1u); // round past the top
    EXPECT_EQ(choose(kRoundRobin, {0b0100, 0, 0, 2}), 2u); // the last winner, when alone
}

TEST(ArbiterRulesTest, RoundRobinWorksAtTheHighestSlot) {
    EXPECT_EQ(choose(kRoundRobin, {0x8001, 0, 0, 15}), 0u);
    EXPECT_EQ(choose(kRoundRobin, {0x8001, 0, 0, 0}), 15u);
}

TEST(ArbiterRulesTest, SmallerClassWins) {
    EXPECT_EQ(choose(kPriorityAge, {0b0111, classes({2, 1, 0}), 0, 2}), 2u);
    EXPECT_EQ(choose(kPriorityAge, {0b0011, classes({2, 1, 0}), 0, 0}), 1u);
    EXPECT_EQ(choose(kPriorityAge, {0b1001, classes({3, 0, 0, 2}), 0, 3}), 3u);
}

TEST(ArbiterRulesTest, EqualClassesShareByRoundRobin) {
    EXPECT_EQ(choose(kPriorityAge, {0b1110, classes({0, 1, 2, 1}), 0, 1}), 3u);
    EXPECT_EQ(choose(kPriorityAge, {0b1110, classes({0, 1, 2, 1}), 0, 3}), 1u);
}

TEST(ArbiterRulesTest, AgedRequestGoesAboveEveryClass) {
    EXPECT_EQ(choose(kPriorityAge, {0b0111, classes({2, 0, 2}), 0b0100, 0}), 2u);
    EXPECT_EQ(choose(kPriorityAge, {0b0111, classes({2, 0, 2}), 0b0101, 0}), 2u);
    EXPECT_EQ(choose(kPriorityAge, {0b0111, classes({2, 0, 2}), 0b0101, 2}), 0u);
    EXPECT_EQ(choose(kPriorityAge, {0b0011, classes({2, 0, 2}), 0b0100, 0}), 1u); // aged, silent
}

TEST(ArbiterRulesTest, NamesOfTheTableAreFound) {
    EXPECT_EQ(find_arbiter_policy("round-robin"), kRoundRobin);
    EXPECT_EQ(find_arbiter_policy("priority-age"), kPriorityAge);
    EXPECT_EQ(find_arbiter_policy("priority"), std::nullopt);
}

TEST(ArbiterRulesTest, ClockPeriodIsRoundedToAPicosecond) {
    EXPECT_EQ(clock_period(200'000'000), 5000u);
    EXPECT_EQ(clock_period(300'000'000), 3333u);
    EXPECT_EQ(clock_period(600'000'000), 1667u);
    EXPECT_THROW((void)clock_period(0), ModelError);
}

TEST(ReferenceArbiterTest, GrantIsHeldUntilReleaseAndThenPassesOnWithoutAGap) {
    ReferenceArbiter arbiter(4, kRoundRobin, 0);
    EXPECT_EQ(arbiter.step({0b0000, 0, false, 0}), kIdle);
    EXPECT_EQ(arbiter.step({0b0101, 0, false, 1}), holder(0));
    EXPECT_EQ(arbiter.step({0b0100, 0, false, 2}), holder(0));
    EXPECT_EQ(arbiter.step({0b0110, 0, false, 3}), holder(0));
    EXPECT_EQ(arbiter.step({0b0110, 0, true, 4}), holder(1));
    EXPECT_EQ(arbiter.step({0b0100, 0, true, 5}), holder(2));
    EXPECT_EQ(arbiter.step({0b0000, 0, true, 6}), kIdle);
    EXPECT_EQ(arbiter.step({0b0000, 0, true, 7}), kIdle); // nobody holds it: nothing to release
}

TEST(ReferenceArbiterTest, FourSteadyRequestersAreServedInTurn) {
    ReferenceArbiter arbiter(4, kRoundRobin, 0);
    for (std::uint32_t k = 0; k < 12; ++k) {
        EXPECT_EQ(arbiter.step({0b1111, 0, true, k}), holder(k % 4)) << "edge " << k;
    }
}

TEST(ReferenceArbiterTest, SingleSlotIsGrantedWhenItAsks) {
    for (const ArbiterPolicy policy : {kRoundRobin, kPriorityAge}) {
        ReferenceArbiter arbiter(1, policy, 10);
        EXPECT_EQ(arbiter.step({0, 0, false, 0}), kIdle);
        EXPECT_EQ(arbiter.step({1, 2, false, 1}), holder(0));
        EXPECT_EQ(arbiter.step({0, 0, false, 2}), holder(0));
        EXPECT_EQ(arbiter.step({1, 1, true, 3}), holder(0));
        EXPECT_EQ(arbiter.step({0, 0, true, 4}), kIdle);
    }
}

TEST(ReferenceArbiterTest, LinesThatDoNotExistAreNotHeard) {
    ReferenceArbiter arbiter(2, kRoundRobin, 0);
    EXPECT_EQ(arbiter.step({0b1100, 0, false, 0}), kIdle);
}

/// Slot 0 is granted first and holds the bus; slot 1, program data, asks at edge 10; slot 2,
/// read-out, asks at the edge of the release. Returns who gets the bus at `release_edge`.
ArbiterOutputs winner_after_waiting(std::uint32_t first_edge, std::uint32_t age_limit,
                                    std::uint32_t release_edge) {
    ReferenceArbiter arbiter(3, kPriorityAge, age_limit);
    const std::uint32_t waiting = classes({0, 2, 0});
    arbiter.step({0b001, waiting, false, first_edge});
    arbiter.step({0b010, waiting, false, first_edge + 10});
    return arbiter.step({0b110, waiting, true, first_edge + release_edge});
}

TEST(ReferenceArbiterTest, RequestIsPromotedAtTheAgeLimitAndNotOneCycleBefore) {
    EXPECT_EQ(winner_after_waiting(0, 100, 109), holder(2));
    EXPECT_EQ(winner_after_waiting(0, 100, 110), holder(1));
    EXPECT_EQ(winner_after_waiting(0, 100, 5000), holder(1));
}

TEST(ReferenceArbiterTest, AgeIsCountedThroughTheWrapOfTime) {
    const std::uint32_t before_wrap = 0u - 50;
    EXPECT_EQ(winner_after_waiting(before_wrap, 100, 109), holder(2));
    EXPECT_EQ(winner_after_waiting(before_wrap, 100, 110), holder(1));
}

TEST(ReferenceArbiterTest, AgeLimitZeroIsPlainRoundRobin) {
    ReferenceArbiter arbiter(3, kPriorityAge, 0);
    const std::uint32_t falling = classes({2, 1, 0});
    EXPECT_EQ(arbiter.step({0b111, falling, true, 0}), holder(0));
    EXPECT_EQ(arbiter.step({0b111, falling, true, 1}), holder(1));
    EXPECT_EQ(arbiter.step({0b111, falling, true, 2}), holder(2));
}

TEST(ReferenceArbiterTest, DroppedRequestLosesItsAge) {
    ReferenceArbiter arbiter(3, kPriorityAge, 100);
    const std::uint32_t waiting = classes({0, 2, 0});
    arbiter.step({0b001, waiting, false, 0});
    arbiter.step({0b010, waiting, false, 10});
    arbiter.step({0b000, waiting, false, 50});
    arbiter.step({0b010, waiting, false, 60});
    EXPECT_EQ(arbiter.step({0b110, waiting, true, 120}), holder(2));
}

TEST(ReferenceArbiterTest, GrantStartsTheAgeOfTheNextRequestAfresh) {
    ReferenceArbiter arbiter(2, kPriorityAge, 100);
    const std::uint32_t waiting = classes({2, 0});
    EXPECT_EQ(arbiter.step({0b01, waiting, false, 0}), holder(0));
    arbiter.step({0b01, waiting, false, 60}); // asks again while it holds the bus: seen at 60
    EXPECT_EQ(arbiter.step({0b11, waiting, true, 159}), holder(1));
    EXPECT_EQ(arbiter.step({0b11, waiting, true, 160}), holder(0));
}

} // namespace
} // namespace cavern
