#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "tests/cosim/arbiter_print.h"
#include "tests/cosim/arbiter_stream.h"

namespace cavern {
namespace {

constexpr ArbiterPolicy kWeighted = ArbiterPolicy::kWeightedRoundRobin;
constexpr std::uint64_t kSteps = 1'000'000;

std::unique_ptr<RtlArbiter> rtl(std::uint32_t slots, std::uint64_t seed = 1) {
    return make_rtl_arbiter(slots, kWeighted, 24, seed, 5 * kNs, "channel 3");
}

std::unique_ptr<ReferenceArbiter> twin(std::uint32_t slots, ArbiterPolicy policy = kWeighted) {
    return std::make_unique<ReferenceArbiter>(slots, policy, 24);
}

class WeightedLockstepTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(WeightedLockstepTest, RtlAndTwinAgreeOverAMillionRandomEdges) {
    LockstepArbiter lockstep(rtl(GetParam()), twin(GetParam()), "channel 3");
    const std::uint64_t held = run_stream(lockstep, GetParam(), 7 + GetParam(), kSteps);
    EXPECT_EQ(lockstep.steps(), kSteps);
    EXPECT_GT(lockstep.compared(), kSteps / 10);
    EXPECT_EQ(lockstep.mismatches(), 0u);
    EXPECT_GT(held, lockstep.compared());
}

INSTANTIATE_TEST_SUITE_P(SlowEveryShape, WeightedLockstepTest,
                         testing::Values(1u, 3u, 4u, 8u, 16u));

TEST(WeightedControlTest, TwinOfAnotherPolicyIsADifference) {
    for (const ArbiterPolicy other : {ArbiterPolicy::kRoundRobin, ArbiterPolicy::kPriorityAge}) {
        LockstepArbiter lockstep(rtl(4), twin(4, other), "channel 3");
        EXPECT_THROW(run_stream(lockstep, 4, 11, 100'000), ModelError);
    }
}

TEST(WeightedControlTest, ContentOfRegistersBeforeResetDoesNotMatter) {
    LockstepArbiter lockstep(rtl(8, 1), rtl(8, 987'654'321), "channel 3");
    EXPECT_NO_THROW(run_stream(lockstep, 8, 11, 50'000));
    EXPECT_GT(lockstep.compared(), 5'000u);
}

} // namespace
} // namespace cavern
