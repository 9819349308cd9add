// Linked with RTL whose class pointers are not advanced.
#include <gtest/gtest.h>

#include "tests/cosim/arbiter_broken.h"

namespace cavern {
namespace {

TEST(WeightedBrokenPointerTest, LockstepAndThePropertySeeIt) {
    const ArbiterPolicy policy = ArbiterPolicy::kWeightedRoundRobin;
    const std::string difference = lockstep_error(policy);
    EXPECT_EQ(difference.rfind("channel 5: RTL and model differ at cycle 42944", 0), 0u)
        << difference;
    const std::string property = property_error(policy);
    EXPECT_EQ(property.rfind("channel 5: the RTL arbiter broke WayIsNotOvertaken by cycle 4294", 0),
              0u)
        << property;
}

} // namespace
} // namespace cavern
