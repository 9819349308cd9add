// Linked with RTL that stays in a way after its last channel.
#include <gtest/gtest.h>

#include "tests/cosim/allocator_broken.h"

namespace cavern {
namespace {

TEST(AllocatorBrokenTurnTest, LockstepAndThePropertySeeIt) {
    for (const AllocatorShape shape : {AllocatorShape{8, 4, 32}, AllocatorShape{16, 16, 255}}) {
        const std::string difference = allocator_lockstep_error(shape);
        EXPECT_EQ(difference.rfind("allocator: RTL and model differ at edge ", 0), 0u)
            << difference;
        const std::string property = allocator_property_error(shape);
        EXPECT_NE(property.find("u_checker.EveryDieInTurn"), std::string::npos) << property;
    }
}

TEST(AllocatorBrokenTurnTest, ItDoesNotMatterWhereThePointerCanStandBehindTheLastChannel) {
    // Channel 3 of 3: nothing is ahead, and so the next way is taken.
    EXPECT_EQ(allocator_lockstep_error({3, 5, 15}), "");
}

} // namespace
} // namespace cavern
