// Linked with RTL whose priority pointer is not advanced.
#include <gtest/gtest.h>

#include "tests/cosim/arbiter_broken.h"

namespace cavern {
namespace {

TEST(ArbiterBrokenPointerTest, LockstepNamesChannelAndCycle) {
    for (const ArbiterPolicyRow& row : kArbiterPolicies) {
        const std::string text = lockstep_error(row.policy);
        EXPECT_EQ(text.rfind("channel 5: RTL and model differ at cycle 42944", 0), 0u) << text;
    }
}

TEST(ArbiterBrokenPointerTest, PropertyOfServiceInTurnFails) {
    const std::string text = property_error(ArbiterPolicy::kRoundRobin);
    EXPECT_EQ(text.rfind("channel 5: the RTL arbiter broke ServedInTurn by cycle 42944", 0), 0u)
        << text;
}

} // namespace
} // namespace cavern
