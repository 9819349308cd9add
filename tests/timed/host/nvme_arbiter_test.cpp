#include "timed/host/nvme_arbiter.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace cavern {
namespace {

using Waiting = std::vector<std::uint32_t>;
using C = QueueClass;

NvmeArbiter round_robin(std::size_t queues, std::uint32_t burst = 1) {
    NvmeArbiter::Params params;
    params.burst = burst;
    params.classes.assign(queues, C::kLow);
    return NvmeArbiter(params);
}

NvmeArbiter weighted(std::vector<QueueClass> classes, std::array<std::uint32_t, 3> weights,
                     std::uint32_t burst = 1) {
    NvmeArbiter::Params params;
    params.weighted = true;
    params.burst = burst;
    params.weights = weights;
    params.classes = std::move(classes);
    return NvmeArbiter(params);
}

/// Queues that `arbiter` chooses from, a digit for each command.
std::string choices(NvmeArbiter& arbiter, Waiting waiting, std::size_t commands,
                    std::uint32_t room = 1) {
    std::string order;
    while (order.size() < commands) {
        const NvmeArbiter::Choice choice = arbiter.choose(waiting, room);
        if (choice.commands == 0) {
            break;
        }
        EXPECT_LE(choice.commands, room);
        EXPECT_LE(choice.commands, waiting[choice.queue]);
        waiting[choice.queue] -= choice.commands;
        order.append(choice.commands, static_cast<char>('0' + choice.queue));
    }
    return order;
}

TEST(NvmeArbiterTest, QueuesTakeTurns) {
    NvmeArbiter arbiter = round_robin(3);
    EXPECT_EQ(choices(arbiter, {9, 9, 9}, 7), "0120120");
}

TEST(NvmeArbiterTest, AnEmptyQueueIsPassedOver) {
    NvmeArbiter arbiter = round_robin(3);
    EXPECT_EQ(choices(arbiter, {3, 0, 1}, 9), "0200");
    EXPECT_EQ(arbiter.choose({0, 0, 0}, 4).commands, 0u);
    EXPECT_EQ(arbiter.choose({1, 1, 1}, 0).commands, 0u);
}

TEST(NvmeArbiterTest, ABurstGoesOnThoughThereIsRoomForOneAtATime) {
    NvmeArbiter arbiter = round_robin(2, 4);
    EXPECT_EQ(choices(arbiter, {20, 20}, 12), "000011110000");
}

TEST(NvmeArbiterTest, ABurstIsTakenAtOnceWhereThereIsRoom) {
    NvmeArbiter arbiter = round_robin(2, 4);
    EXPECT_EQ(arbiter.choose({20, 20}, 64).commands, 4u);
    EXPECT_EQ(choices(arbiter, {20, 20}, 8, 64), "11110000");
}

TEST(NvmeArbiterTest, AQueueThatRunsOutEndsItsBurst) {
    NvmeArbiter arbiter = round_robin(2, 4);
    EXPECT_EQ(choices(arbiter, {2, 9}, 8), "00111111");
}

TEST(NvmeArbiterTest, WithoutLimitAQueueIsEmptiedFirst) {
    NvmeArbiter arbiter = round_robin(2, 0);
    EXPECT_EQ(choices(arbiter, {5, 3}, 8, 64), "00000111");
}

TEST(NvmeArbiterTest, ClassesHaveTheirWeightInEveryRound) {
    NvmeArbiter arbiter = weighted({C::kHigh, C::kMedium, C::kLow}, {4, 2, 1});
    EXPECT_EQ(choices(arbiter, {50, 50, 50}, 14), "00001120000112");
}

TEST(NvmeArbiterTest, QueuesOfAClassShareItsWeight) {
    NvmeArbiter arbiter = weighted({C::kHigh, C::kHigh, C::kLow}, {4, 2, 1});
    EXPECT_EQ(choices(arbiter, {50, 50, 50}, 10), "0101201012");
}

TEST(NvmeArbiterTest, AClassWithoutCommandsCostsNoTurn) {
    NvmeArbiter arbiter = weighted({C::kHigh, C::kMedium, C::kLow}, {4, 2, 1});
    EXPECT_EQ(choices(arbiter, {0, 50, 50}, 6), "112112");
}

TEST(NvmeArbiterTest, UrgentQueuesComeBeforeAllOthers) {
    NvmeArbiter arbiter = weighted({C::kHigh, C::kUrgent, C::kUrgent}, {4, 2, 1});
    EXPECT_EQ(choices(arbiter, {9, 2, 2}, 6), "121200");
}

TEST(NvmeArbiterTest, ABurstEndsWhereTheWeightDoes) {
    NvmeArbiter arbiter = weighted({C::kHigh, C::kLow}, {3, 3, 2}, 8);
    EXPECT_EQ(arbiter.choose({50, 50}, 64).commands, 3u);
    const NvmeArbiter::Choice low = arbiter.choose({50, 50}, 64);
    EXPECT_EQ(low.queue, 1u);
    EXPECT_EQ(low.commands, 2u);
}

// What a saturated drive does: room for one or a few, all queues full.
TEST(NvmeArbiterTest, SharesFollowTheWeightsWhateverRoomThereIs) {
    for (const std::uint32_t burst : {1u, 4u, 0u}) {
        NvmeArbiter arbiter =
            weighted({C::kLow, C::kMedium, C::kHigh, C::kHigh}, {12, 5, 3}, burst);
        Random random(burst);
        std::array<std::uint64_t, 4> taken{};
        for (int i = 0; i < 200'000; ++i) {
            const auto room = static_cast<std::uint32_t>(1 + random.below(6));
            const NvmeArbiter::Choice choice = arbiter.choose({100, 100, 100, 100}, room);
            taken[choice.queue] += choice.commands;
        }
        const double all = static_cast<double>(taken[0] + taken[1] + taken[2] + taken[3]);
        EXPECT_NEAR(static_cast<double>(taken[0]) / all, 3.0 / 20, 0.001);
        EXPECT_NEAR(static_cast<double>(taken[1]) / all, 5.0 / 20, 0.001);
        EXPECT_NEAR(static_cast<double>(taken[2] + taken[3]) / all, 12.0 / 20, 0.001);
        if (burst == 1) {
            EXPECT_NEAR(static_cast<double>(taken[2]), static_cast<double>(taken[3]), 2000);
        }
    }
}

TEST(NvmeArbiterTest, WithoutWeightsTheClassesMeanNothing) {
    NvmeArbiter::Params params;
    params.classes = {C::kUrgent, C::kLow};
    params.weights = {100, 1, 1};
    NvmeArbiter arbiter(params);
    EXPECT_EQ(choices(arbiter, {9, 9}, 6), "010101");
}

} // namespace
} // namespace cavern
