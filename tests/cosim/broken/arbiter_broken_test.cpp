// Linked with RTL of which one line is broken (tb/CMakeLists.txt), which one CAVERN_BROKEN says.
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "tests/cosim/broken/arbiter_broken.h"

namespace cavern {
namespace {

/// What the checks see of a variant under one policy.
struct Finding {
    std::string_view variant;
    ArbiterPolicy policy;
    bool seen;                 ///< by lockstep
    std::string_view property; ///< that fails without a twin; empty: not looked at
};

constexpr Finding kFindings[] = {
    // The priority pointers are not advanced.
    {"pointer", ArbiterPolicy::kRoundRobin, true, "ServedInTurn by cycle 42944"},
    {"pointer", ArbiterPolicy::kPriorityAge, true, ""},
    {"pointer", ArbiterPolicy::kWeightedRoundRobin, true, "WayIsNotOvertaken by cycle 4294"},
    // A grant is not held against another request.
    {"hold", ArbiterPolicy::kRoundRobin, true, "HeldUntilRelease by cycle 42944"},
    {"hold", ArbiterPolicy::kPriorityAge, true, "HeldUntilRelease by cycle 42944"},
    {"hold", ArbiterPolicy::kWeightedRoundRobin, true, "HeldUntilRelease by cycle 42944"},
    // A request is promoted one cycle late; credits are never filled up. Round-robin has no age.
    {"age", ArbiterPolicy::kRoundRobin, false, ""},
    {"age", ArbiterPolicy::kPriorityAge, true, "MostUrgentWins by cycle 42944"},
    {"age", ArbiterPolicy::kWeightedRoundRobin, true, "ClassHasItsShare by cycle 4294"},
};

std::vector<Finding> findings() {
    std::vector<Finding> chosen;
    for (const Finding& finding : kFindings) {
        if (finding.variant == CAVERN_BROKEN) {
            chosen.push_back(finding);
        }
    }
    return chosen;
}

TEST(ArbiterBrokenTest, LockstepNamesChannelAndCycle) {
    for (const Finding& finding : findings()) {
        const std::string text = lockstep_error(finding.policy);
        if (finding.seen) {
            EXPECT_EQ(text.rfind("channel 5: RTL and model differ at cycle 42944", 0), 0u) << text;
        } else {
            EXPECT_EQ(text, "");
        }
    }
}

TEST(ArbiterBrokenTest, PropertyFailsWithoutATwin) {
    for (const Finding& finding : findings()) {
        if (!finding.property.empty()) {
            const std::string expected =
                "channel 5: the RTL arbiter broke " + std::string(finding.property);
            const std::string text = property_error(finding.policy);
            EXPECT_EQ(text.rfind(expected, 0), 0u) << text;
        }
    }
}

TEST(ArbiterBrokenTest, EveryPolicyHasItsFinding) {
    EXPECT_EQ(findings().size(), kArbiterPolicies.size());
}

} // namespace
} // namespace cavern
