// Linked with RTL whose grant is not held against another request.
#include <gtest/gtest.h>

#include "tests/cosim/arbiter_broken.h"

namespace cavern {
namespace {

TEST(ArbiterBrokenHoldTest, LockstepNamesChannelAndCycle) {
    for (const ArbiterPolicyRow& row : kArbiterPolicies) {
        const std::string text = lockstep_error(row.policy);
        EXPECT_EQ(text.rfind("channel 5: RTL and model differ at cycle 42944", 0), 0u) << text;
    }
}

TEST(ArbiterBrokenHoldTest, PropertyOfTheHeldGrantFails) {
    for (const ArbiterPolicyRow& row : kArbiterPolicies) {
        const std::string text = property_error(row.policy);
        EXPECT_EQ(text.rfind("channel 5: the RTL arbiter broke HeldUntilRelease by cycle 42944", 0),
                  0u)
            << text;
    }
}

} // namespace
} // namespace cavern
