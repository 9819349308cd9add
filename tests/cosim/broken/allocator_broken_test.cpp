// Linked with an RTL allocator of which one line is broken, which one CAVERN_BROKEN says: "turn"
// stays in a way after its last channel, "pointer" goes on by one where busy channels were passed.
#include <gtest/gtest.h>
#include <string_view>

#include "tests/cosim/broken/allocator_broken.h"

namespace cavern {
namespace {

constexpr bool kTurn = std::string_view(CAVERN_BROKEN) == "turn";
constexpr bool kPointer = std::string_view(CAVERN_BROKEN) == "pointer";
static_assert(kTurn != kPointer, "another variant needs its own findings");

TEST(AllocatorBrokenTest, LockstepSeesItAndShowsTheLastSteps) {
    for (const AllocatorShape shape : {AllocatorShape{8, 4, 32}, AllocatorShape{16, 16, 255}}) {
        const std::string difference = allocator_lockstep_error(shape);
        EXPECT_EQ(difference.rfind("allocator: RTL and model differ at edge ", 0), 0u)
            << difference;
        EXPECT_NE(difference.find("; last steps:\n  edge "), std::string::npos) << difference;
    }
    if (kTurn) { // channel 3 of 3: nothing is ahead, and so the next way is taken
        EXPECT_EQ(allocator_lockstep_error({3, 5, 15}), "");
    }
}

TEST(AllocatorBrokenTest, ThePropertySeesATurnThatIsWrong) {
    for (const AllocatorShape shape : {AllocatorShape{8, 4, 32}, AllocatorShape{16, 16, 255}}) {
        const std::string property = allocator_property_error(shape);
        if (kTurn) {
            EXPECT_NE(property.find("u_checker.EveryDieInTurn"), std::string::npos) << property;
        } else {
            // In order as a hand-out, each of them: who comes next after busy channels is policy.
            EXPECT_EQ(property, "");
        }
    }
}

} // namespace
} // namespace cavern
