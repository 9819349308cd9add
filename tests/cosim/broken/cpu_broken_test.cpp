// Linked with a processor of which one line is broken, which one CAVERN_BROKEN says.
#include <gtest/gtest.h>
#include <string_view>

#include "tests/cosim/lockstep_run.h"

namespace cavern {
namespace {

/// What the lockstep says of a variant; where the effects are right, cycles are not.
struct Finding {
    std::string_view variant;
    std::string_view what;
};

constexpr Finding kFindings[] = {
    {"rtl_shift", ": value written: "},       // an arithmetic shift fills with zeros
    {"rtl_lanes", ": bytes written: "},       // a store enables the wrong byte lanes
    {"rtl_interrupt", ": pc: Ibex 0x10001c"}, // the timer goes before the external interrupt
    {"iss_shift", ": value written: "},
    {"iss_branch", ": next pc: "},
    {"iss_store", ": the ISS accessed the bus otherwise;"},
    {"iss_divide", ""}, // the time of a division by zero
};

TEST(CpuBrokenTest, LockstepSaysWhatDiffers) {
    std::string_view expected;
    for (const Finding& finding : kFindings) {
        if (finding.variant == CAVERN_BROKEN) {
            expected = finding.what;
        }
    }
    std::string found;
    std::uint64_t off_cycles = 0;
    for (std::uint64_t seed = 1; seed <= 30 && found.empty(); ++seed) {
        const bool interrupts = std::string_view(CAVERN_BROKEN) == "rtl_interrupt";
        const LockstepResult result = run_random(seed, 2000, {interrupts, false});
        found = result.difference;
        off_cycles += result.off_cycles;
    }
    if (expected.empty()) {
        EXPECT_EQ(found, "");
        EXPECT_GT(off_cycles, 0u);
        return;
    }
    EXPECT_EQ(found.find("processor lockstep: instruction "), 0u) << found;
    const std::size_t at = found.find(expected);
    ASSERT_NE(at, std::string::npos) << found;
    EXPECT_LT(at, found.find('\n'));
}

} // namespace
} // namespace cavern
