#include "tb/lockstep_allocator.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tb/allocator_stream.h"
#include "tb/reference_allocator.h"

namespace cavern {
namespace {

constexpr std::uint64_t kSteps = 1'000'000;

using Die = std::pair<std::uint32_t, std::uint32_t>; ///< channel, way

/// Who gets the victims of a burst while the channels of `busy` are.
std::vector<Die> burst(ChannelAllocatorIf& allocator, std::uint32_t victims,
                       std::uint32_t busy = 0) {
    std::vector<Die> dies;
    AllocatorOutputs outputs = allocator.step({true, victims, busy});
    while (!outputs.ready) {
        outputs = allocator.step({false, 0, busy});
        dies.emplace_back(outputs.channel, outputs.way);
        EXPECT_TRUE(outputs.valid);
        EXPECT_EQ(outputs.last, outputs.ready);
    }
    return dies;
}

class AllocatorLockstepTest : public testing::TestWithParam<AllocatorShape> {};

TEST_P(AllocatorLockstepTest, RtlHandsOutLikeBlockRoundRobinOverAMillionRandomEdges) {
    LockstepAllocator lockstep(make_rtl_allocator(GetParam(), 1, "allocator"),
                               std::make_unique<ReferenceAllocator>(GetParam()), "allocator");
    AllocatorStream stream(GetParam(), 7 + GetParam().channels);
    for (std::uint64_t n = 0; n < kSteps; ++n) {
        lockstep.step(stream.next());
    }
    EXPECT_EQ(lockstep.steps(), kSteps);
    EXPECT_GT(lockstep.compared(), kSteps / 3);
}

INSTANTIATE_TEST_SUITE_P(EveryShape, AllocatorLockstepTest,
                         testing::Values(AllocatorShape{1, 1, 255}, AllocatorShape{3, 5, 255},
                                         AllocatorShape{8, 4, 32}, AllocatorShape{8, 4, 255},
                                         AllocatorShape{16, 16, 255}),
                         [](const auto& shape) {
                             return std::to_string(shape.param.channels) + "Channels" +
                                    std::to_string(shape.param.ways) + "Ways" +
                                    std::to_string(shape.param.victims) + "Victims";
                         });

TEST(RtlAllocatorTest, BurstOfAsManyVictimsAsDiesGivesEveryDieOne) {
    const auto rtl = make_rtl_allocator({8, 4, 32}, 1, "allocator");
    burst(*rtl, 5);
    std::vector<Die> expected;
    for (std::uint32_t n = 5; n < 5 + 32; ++n) {
        expected.emplace_back(n % 8, n / 8 % 4);
    }
    EXPECT_EQ(burst(*rtl, 32), expected);
}

TEST(RtlAllocatorTest, BusyChannelsArePassedOverAndTheirTurnIsLost) {
    const auto rtl = make_rtl_allocator({3, 5, 15}, 1, "allocator");
    EXPECT_EQ(burst(*rtl, 3, 0b011), (std::vector<Die>{{2, 0}, {2, 1}, {2, 2}}));
    EXPECT_EQ(burst(*rtl, 2), (std::vector<Die>{{0, 3}, {1, 3}}));
    EXPECT_EQ(burst(*rtl, 2, 0b100), (std::vector<Die>{{0, 4}, {1, 4}}));
    EXPECT_EQ(burst(*rtl, 2), (std::vector<Die>{{2, 4}, {0, 0}}));
}

TEST(RtlAllocatorTest, NothingIsHandedOutWhileAllChannelsAreBusy) {
    const auto rtl = make_rtl_allocator({3, 5, 15}, 1, "allocator");
    rtl->step({true, 2, 0});
    for (int n = 0; n < 10; ++n) {
        EXPECT_EQ(rtl->step({false, 0, 0b111}), (AllocatorOutputs{false, false, 0, 0, false}));
    }
    EXPECT_EQ(rtl->step({false, 0, 0}), (AllocatorOutputs{false, true, 0, 0, false}));
    EXPECT_EQ(rtl->step({false, 0, 0}), (AllocatorOutputs{true, true, 1, 0, true}));
}

TEST(RtlAllocatorTest, ContentOfRegistersBeforeResetDoesNotMatter) {
    const AllocatorShape shape{16, 16, 255};
    LockstepAllocator lockstep(make_rtl_allocator(shape, 1, "allocator"),
                               make_rtl_allocator(shape, 987'654'321, "allocator"), "allocator");
    AllocatorStream stream(shape, 3);
    for (int n = 0; n < 20'000; ++n) {
        lockstep.step(stream.next());
    }
    EXPECT_GT(lockstep.compared(), 5'000u);
}

TEST(RtlAllocatorTest, ShapeWithoutAModelIsRefused) {
    EXPECT_THROW(make_rtl_allocator({7, 4, 32}, 1, "allocator"), ModelError);
}

} // namespace
} // namespace cavern
