// Linked with RTL that promotes a request one cycle late.
#include <gtest/gtest.h>

#include "tests/cosim/arbiter_broken.h"

namespace cavern {
namespace {

TEST(ArbiterBrokenAgeTest, LockstepNamesChannelAndCycle) {
    const std::string text = lockstep_error(ArbiterPolicy::kPriorityAge);
    EXPECT_EQ(text.rfind("channel 5: RTL and model differ at cycle 42944", 0), 0u) << text;
}

TEST(ArbiterBrokenAgeTest, PropertyOfTheMostUrgentFails) {
    const std::string text = property_error(ArbiterPolicy::kPriorityAge);
    EXPECT_EQ(text.rfind("channel 5: the RTL arbiter broke MostUrgentWins by cycle 42944", 0), 0u)
        << text;
}

TEST(ArbiterBrokenAgeTest, RoundRobinHasNoAgeToBreak) {
    EXPECT_EQ(lockstep_error(ArbiterPolicy::kRoundRobin), "");
}

} // namespace
} // namespace cavern
