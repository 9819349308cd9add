// The register block as RTL does what its C++ twin does, and both what the conformance tests say.
#include "cosim/rtl_registers.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "cosim/registers_lockstep.h"
#include "tests/cpu/register_stream.h"
#include "tests/cpu/registers_conformance.h"

namespace cavern::cpu {
namespace {

std::unique_ptr<DriveRegistersIf> in_rtl(WindowIf* window) {
    return std::make_unique<RtlRegisters>(make_register_model(1), window, "registers");
}
std::unique_ptr<DriveRegistersIf> in_lockstep(WindowIf* window) {
    return std::make_unique<RegistersLockstep>(make_register_model(2), window, "registers", 1);
}
INSTANTIATE_TEST_SUITE_P(Forms, RegistersTest,
                         testing::Values(RegisterForm{"Rtl", in_rtl},
                                         RegisterForm{"Lockstep", in_lockstep}),
                         name_of);

class RegistersLockstepTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RegistersLockstepTest, AgreesOverARandomStreamThatReachesEverything) {
    DrillWindow window;
    RegistersLockstep registers(make_register_model(GetParam()), &window, "registers");
    registers.set_geometry({8, 4, 2, 1024, 256, 16384, 1'000'000, 4096, 400'000});
    RegisterStream stream(registers, GetParam());
    while (stream.coverage().accesses < 100'000) {
        stream.step();
    }
    registers.audit(0);
    EXPECT_GT(registers.compared(), 100'000u);
    const StreamCoverage& reached = stream.coverage();
    EXPECT_GT(reached.faults, 1000u);
    EXPECT_GT(reached.narrow, 10'000u);
    EXPECT_GT(reached.refused, 100u);
    EXPECT_GT(reached.operations, 1000u);
    EXPECT_GT(reached.descriptors, 500u);
    EXPECT_GT(reached.interrupts_high, 1000u);
    EXPECT_GT(reached.interrupts_low, 1000u);
    EXPECT_GT(reached.interrupts_due, 100u);
    EXPECT_GT(window.accesses, 1000u);
    for (std::size_t bit = 0; bit < reached.errors.size(); ++bit) {
        EXPECT_GT(reached.errors[bit], 20u) << bit;
    }
    EXPECT_GT(*std::min_element(reached.loads.begin(), reached.loads.end()), 100u);
    EXPECT_GT(*std::min_element(reached.stores.begin(), reached.stores.end()), 100u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RegistersLockstepTest, testing::Values(1, 2));

TEST(RtlRegistersTest, WhatIsThereBeforeAResetDoesNotMatter) {
    for (const std::uint64_t seed : {3u, 4u, 5u}) {
        RtlRegisters registers(make_register_model(seed), nullptr, "registers");
        EXPECT_EQ(faults_of_reset_values(registers), "");
    }
}

TEST(RtlRegistersTest, IsNotClockedWhileNothingHappens) {
    RtlRegisters registers(make_register_model(1), nullptr, "registers");
    EXPECT_FALSE(registers.interrupt(1'000'000'000));
    EXPECT_EQ(registers.clocks(), 0u);
    static_cast<void>(read(registers, RegisterId::kIdentificationMagic, 2'000'000'000));
    EXPECT_EQ(registers.clocks(), 4u); // grant, set-up, access, and one for what it starts
}

/// A window that never has an end to its wait.
class Silent final : public WindowIf {
  public:
    WindowAnswer load(regs::Space, std::uint64_t, std::uint64_t) override {
        return {0, 0xFFFF'FFFF, false};
    }
    WindowAnswer store(regs::Space, std::uint64_t, std::uint32_t, std::uint32_t,
                       std::uint64_t) override {
        return {0, 0xFFFF'FFFF, false};
    }
};

TEST(RtlRegistersTest, AnAccessWithoutAnAnswerEndsTheRun) {
    Silent window;
    RtlRegisters registers(make_register_model(1), &window, "registers");
    try {
        registers.load(kRegisterBase + regs::kMemoryAddress, 4, 0);
        ADD_FAILURE() << "it has been answered";
    } catch (const ModelError& error) {
        EXPECT_STREQ(
            error.what(),
            "registers: the RTL of the registers does not answer an access to offset 49152");
    }
}

} // namespace
} // namespace cavern::cpu
