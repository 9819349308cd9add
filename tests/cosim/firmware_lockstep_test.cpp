#include <gtest/gtest.h>

#include "tests/cosim/firmware_cycles.h"

namespace cavern {
namespace {

constexpr std::uint64_t kWhole = 100'000'000;
constexpr std::uint64_t kBeginning = 100'000; ///< instructions
/// Bound on the interpreter's error in the cycles of a function that counts.
constexpr double kBound = 0.03;
constexpr std::uint64_t kLeast = 500;

struct Finished {
    explicit Finished(const cpu::Program& program) : cycles(program) {}
    cpu::Outcome outcome;
    std::string log;
    FunctionCycles cycles;
};

Finished run_iss(const cpu::Program& program, std::uint64_t instructions,
                 const cpu::IbexTiming& timing = {}) {
    Finished run(program);
    cpu::Machine machine({}, timing, cpu::FaultPolicy::kTrap,
                         [&](char byte, std::uint64_t) { run.log += byte; });
    machine.load(program);
    run.outcome = machine.run(instructions, [&](const cpu::Retired& r) { run.cycles.add(r); });
    return run;
}

/// Ibex alone, or with the interpreter behind it: `late` counts the instructions of which the
/// interpreter says another cycle.
Finished run_rtl(const cpu::Program& program, std::uint64_t instructions, RtlMachine::Core core,
                 std::uint64_t* late = nullptr) {
    Finished run(program);
    RtlMachine::Options options;
    options.core = core;
    options.policy = cpu::FaultPolicy::kTrap;
    RtlMachine machine(options, [&](char byte, std::uint64_t) { run.log += byte; });
    machine.load(program);
    run.outcome = machine.run(instructions, [&](const cpu::Retired& r) {
        run.cycles.add(r);
        if (late != nullptr) {
            *late += machine.lockstep()->interpreted().cycle != r.cycle;
        }
    });
    return run;
}

/// The interpreter behind Ibex, to the end or the first difference; then alone: the same log, and
/// without interrupts the same cycles to the last instruction.
void expect_agreement(const std::string& name, std::uint64_t instructions) {
    const cpu::Program program = read_firmware(name);
    std::uint64_t late = 0;
    const Finished rtl = run_rtl(program, instructions, RtlMachine::Core::kLockstep, &late);
    const Finished iss = run_iss(program, instructions);
    EXPECT_EQ(rtl.outcome.end, iss.outcome.end);
    EXPECT_EQ(rtl.outcome.status, 0u) << rtl.log;
    EXPECT_EQ(rtl.log, iss.log);
    if (rtl.cycles.interrupts() == 0) {
        EXPECT_EQ(late, 0u);
        EXPECT_EQ(worst_error(rtl.cycles, iss.cycles, 1), 0.0);
    } else {
        EXPECT_LE(worst_error(rtl.cycles, iss.cycles, kLeast), kBound);
    }
}

class FirmwareLockstepTest : public testing::TestWithParam<std::string> {};

TEST_P(FirmwareLockstepTest, BeginningAgreesInEffectsAndCycles) {
    expect_agreement(GetParam(), kBeginning);
}

class FirmwareLockstepSlowTest : public testing::TestWithParam<std::string> {};

TEST_P(FirmwareLockstepSlowTest, WholeRunAgreesInEffectsAndCycles) {
    expect_agreement(GetParam(), kWhole);
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
    return info.param;
}
INSTANTIATE_TEST_SUITE_P(Image, FirmwareLockstepTest, testing::ValuesIn(firmware_images("test_")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Image, FirmwareLockstepSlowTest,
                         testing::ValuesIn(firmware_images("test_")), name_of);

TEST(FirmwareImagesTest, TheSuiteIsThere) {
    EXPECT_GE(firmware_images("test_").size(), 12u);
}

TEST(FirmwareCyclesTest, AWrongFigureOfTheTimingModelIsSeen) {
    const cpu::Program program = read_firmware("test_kernels");
    const Finished rtl = run_rtl(program, kBeginning, RtlMachine::Core::kIbex);
    EXPECT_EQ(worst_error(rtl.cycles, run_iss(program, kBeginning).cycles, 1), 0.0);
    cpu::IbexTiming wrong;
    wrong.branch_taken = 2;
    EXPECT_GT(worst_error(rtl.cycles, run_iss(program, kBeginning, wrong).cycles, kLeast), kBound);
}

TEST(RtlMachineTest, StopsAtAFaultLikeTheInterpreter) {
    // Each of these traps or crosses words somewhere; with kStop both stop at the first such place.
    std::uint32_t faults = 0;
    for (const std::string& name : firmware_images("test_")) {
        SCOPED_TRACE(name);
        const cpu::Program program = read_firmware(name);
        cpu::Machine iss;
        iss.load(program);
        const cpu::Outcome expected = iss.run(kBeginning);
        RtlMachine rtl({});
        rtl.load(program);
        const cpu::Outcome outcome = rtl.run(kBeginning);
        EXPECT_EQ(outcome.end, expected.end);
        if (expected.end == cpu::End::kFault) {
            ++faults;
            EXPECT_EQ(rtl.fault().kind, iss.hart().fault().kind);
            EXPECT_EQ(rtl.fault().pc, iss.hart().fault().pc);
            EXPECT_EQ(rtl.fault().address, iss.hart().fault().address);
            EXPECT_EQ(rtl.fault().instruction, iss.hart().fault().instruction);
        }
    }
    EXPECT_GE(faults, 2u);
}

} // namespace
} // namespace cavern
