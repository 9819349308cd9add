// Linked with RTL whose pointer goes on by one where busy channels were passed over.
#include <gtest/gtest.h>

#include "tests/cosim/allocator_broken.h"

namespace cavern {
namespace {

TEST(AllocatorBrokenPointerTest, OnlyTheTwinSeesIt) {
    const AllocatorShape shape{8, 4, 32};
    const std::string difference = allocator_lockstep_error(shape);
    EXPECT_EQ(difference.rfind("allocator: RTL and model differ at edge ", 0), 0u) << difference;
    EXPECT_NE(difference.find("; last steps:\n  edge "), std::string::npos) << difference;
    // In order as a hand-out, each of them: who comes next after busy channels is policy.
    EXPECT_EQ(allocator_property_error(shape), "");
}

} // namespace
} // namespace cavern
