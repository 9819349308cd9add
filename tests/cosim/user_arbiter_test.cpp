// Linked with tb/examples/mask_arbiter.sv as the arbiter of the user's.
#include "cosim/user_models.h"

#include <gtest/gtest.h>
#include <memory>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "tests/cosim/arbiter_stream.h"

namespace cavern {
namespace {

void run_beside(ArbiterPolicy policy, std::uint32_t slots, std::uint64_t steps) {
    LockstepArbiter lockstep(make_user_arbiter(slots, 24, 1, 5 * kNs, "channel 3"),
                             std::make_unique<ReferenceArbiter>(slots, policy, 24), "channel 3");
    run_stream(lockstep, slots, 5, steps);
    EXPECT_GT(lockstep.compared(), steps / 10);
}

TEST(UserArbiterTest, ItsModuleIsKnownByName) {
    EXPECT_EQ(user_rtl_top(), "mask_arbiter");
}

TEST(UserArbiterTest, AnotherRoundRobinGrantsLikeTheTwin) {
    for (const std::uint32_t slots : {1u, 3u, 4u, 8u, 16u}) {
        EXPECT_NO_THROW(run_beside(ArbiterPolicy::kRoundRobin, slots, 300'000)) << slots;
    }
}

TEST(UserArbiterTest, ItIsNoneOfTheOtherPolicies) {
    EXPECT_THROW(run_beside(ArbiterPolicy::kPriorityAge, 4, 100'000), ModelError);
    EXPECT_THROW(run_beside(ArbiterPolicy::kWeightedRoundRobin, 4, 100'000), ModelError);
}

} // namespace
} // namespace cavern
