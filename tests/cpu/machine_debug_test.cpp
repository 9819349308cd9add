#include "cpu/machine_debug.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/cpu/assemble.h"
#include "tests/cpu/firmware_images.h"
#include "tests/cpu/scripted_debugger.h"

namespace cavern::cpu {
namespace {

using namespace assemble;
using Why = DebugStop::Why;

constexpr std::uint32_t kStart = 0x0010'0080;

class MachineDebugTest : public testing::Test {
  protected:
    void write(std::initializer_list<std::uint32_t> words) {
        std::uint32_t at = kStart;
        for (const std::uint32_t word : words) {
            ASSERT_TRUE(machine.memory().write(at, &word, 4));
            at += 4;
        }
    }
    Outcome run(std::uint64_t max_instructions = 10'000'000) {
        return run_debugged(machine, debugger, max_instructions);
    }

    Machine machine;
    ScriptedDebugger debugger;
};

TEST_F(MachineDebugTest, IsAskedFirstAndToldTheEnd) {
    const Program program = Program::read(firmware_image("debugger"), {});
    machine.load(program);
    EXPECT_EQ(run().end, End::kExit);
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kExit}));
    Machine plain;
    plain.load(program);
    plain.run(10'000'000);
    EXPECT_EQ(machine.hart().cycle(), plain.hart().cycle());
    EXPECT_EQ(machine.hart().executed(), plain.hart().executed());
}

TEST_F(MachineDebugTest, StepsOneByOneAsARunDoes) {
    const Program program = Program::read(firmware_image("test_timer"), {}); // sleeps, is woken
    machine.load(program);
    debugger.rest = Resume::kStep;
    const Outcome stepped = run();
    Machine plain;
    plain.load(program);
    EXPECT_EQ(plain.run(10'000'000).status, stepped.status);
    EXPECT_EQ(stepped.end, End::kExit);
    EXPECT_EQ(machine.hart().cycle(), plain.hart().cycle());
    EXPECT_EQ(debugger.stops.size(), plain.hart().executed() + 1) << "the start, and each";
}

TEST_F(MachineDebugTest, BreakpointsWatchpointsAndFaultsHold) {
    write({lui(5, 0x0020'0000), sw(6, 5, 0), addi(6, 6, 1), 0xFFFF'FFFF});
    machine.hart().add_breakpoint(kStart + 8);
    machine.hart().add_watchpoint({0x0020'0000, 4, false, true});
    debugger.script = {Resume::kContinue, Resume::kContinue, Resume::kContinue, Resume::kStep,
                       Resume::kKill};
    EXPECT_EQ(run().end, End::kKilled);
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kWatchpoint, Why::kBreakpoint,
                                            Why::kFault, Why::kFault}));
    EXPECT_EQ(debugger.stops[1].hit.address, 0x0020'0000u);
    EXPECT_EQ(debugger.stops[3].fault.kind, FaultKind::kIllegal);
    EXPECT_EQ(debugger.stops[3].fault.pc, kStart + 12);
}

TEST_F(MachineDebugTest, DetachedItRunsAsEver) {
    write({kEcall, 0xFFFF'FFFF});
    machine.hart().set_csr(csr::kMtvec, 0x0010'0000);
    debugger.script = {Resume::kDetach};
    EXPECT_EQ(run().end, End::kFault);
    EXPECT_EQ(debugger.stops.size(), 1u);
}

TEST_F(MachineDebugTest, WaitingForWhatNeverComesHolds) {
    write({kWfi, jal(0, 0)});
    debugger.script = {Resume::kContinue, Resume::kStep, Resume::kKill};
    EXPECT_EQ(run().end, End::kKilled);
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kWaiting, Why::kWaiting}));
}

TEST_F(MachineDebugTest, AnInterruptHoldsWhatRuns) {
    write({jal(0, 0)});
    debugger.interrupt_at = 3;
    debugger.script = {Resume::kContinue, Resume::kKill};
    EXPECT_EQ(run().end, End::kKilled);
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kInterrupt}));
    EXPECT_LT(machine.hart().executed(), 10'000'000u);
}

TEST_F(MachineDebugTest, TheWatchdogCountsOn) {
    write({jal(0, 0)});
    EXPECT_EQ(run(1'000'000).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().executed(), 1'000'000u);
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kWatchdog}));
    ScriptedDebugger second;
    second.script = {Resume::kDetach};
    EXPECT_EQ(run_debugged(machine, second, 1'500'000).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().executed(), 1'500'000u);
    ScriptedDebugger steps;
    steps.rest = Resume::kStep;
    EXPECT_EQ(run_debugged(machine, steps, 1'500'003).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().executed(), 1'500'003u);
}

} // namespace
} // namespace cavern::cpu
