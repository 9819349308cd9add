#include "cpu/debugged_hart.h"

#include "tests/cpu/assemble.h"
#include "tests/cpu/hart_fixture.h"
#include "tests/cpu/scripted_debugger.h"

namespace cavern::cpu {
namespace {

using namespace assemble;
using Why = DebugStop::Why;

class DebuggedHartTest : public HartTest {
  protected:
    ScriptedDebugger debugger;
    DebuggedHart debugged{hart, debugger};
};

TEST_F(DebuggedHartTest, NeverPassesTheCycleItIsGiven) {
    program({addi(5, 5, 1), jal(0, -4)});
    debugger.rest = Resume::kStep;
    const std::uint64_t until = hart.cycle() + 1;
    EXPECT_EQ(debugged.run(10, until), Stop::kInstructions);
    EXPECT_EQ(hart.reg(5), 1u);
    EXPECT_EQ(debugged.run(10, until), Stop::kCycle);
    EXPECT_EQ(hart.executed(), 1u);
    debugger.rest = Resume::kContinue;
    debugged.hold({});
    EXPECT_EQ(debugged.run(10, until + 10), Stop::kCycle);
    EXPECT_LT(hart.cycle(), until + 10 + IbexTiming{}.jump);
}

TEST_F(DebuggedHartTest, OneThatSleepsMostOfTheTimeIsInterruptedToo) {
    program({kWfi, jal(0, -4)});
    debugger.interrupt_at = 1;
    int runs = 0;
    while (debugger.stops.size() < 2 && runs < 100'000) {
        const Stop stop = debugged.run(100, Hart::kForever);
        EXPECT_TRUE(stop == Stop::kWaiting || stop == Stop::kInstructions);
        ++runs;
    }
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kInterrupt}));
    EXPECT_GT(runs, 100) << "a look costs as much as some runs";
}

TEST_F(DebuggedHartTest, KilledItExecutesNothing) {
    program({addi(5, 5, 1), jal(0, -4)});
    debugger.script = {Resume::kStep, Resume::kKill};
    EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kInstructions);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kBreakpoint);
        EXPECT_TRUE(debugged.killed());
    }
    EXPECT_EQ(hart.executed(), 1u);
    EXPECT_EQ(debugger.stops.size(), 2u);
}

TEST_F(DebuggedHartTest, DetachedItIsTheHart) {
    program({addi(5, 5, 1), 0xFFFF'FFFF});
    debugger.script = {Resume::kContinue, Resume::kDetach};
    EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kInstructions) << "the fault is not told";
    EXPECT_FALSE(debugged.detached());
    EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kFault);
    EXPECT_TRUE(debugged.detached());
    EXPECT_EQ(debugger.whys(), (std::vector{Why::kStart, Why::kFault}));
}

// A store that asks the run to stop: who runs the hart hears of it before the debugger does.
TEST_F(DebuggedHartTest, WhatADeviceAsksForComesBack) {
    program({lui(5, ScriptedBus::kBase), sw(0, 5, 0), jal(0, 0)});
    bus.hart = &hart;
    EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kRequested);
    EXPECT_EQ(hart.executed(), 2u);
    hart.reset(kStart);
    debugger.rest = Resume::kStep;
    debugged.hold({});
    EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kInstructions);
    const std::size_t told = debugger.stops.size();
    EXPECT_EQ(debugged.run(100, Hart::kForever), Stop::kInstructions);
    EXPECT_EQ(debugger.stops.size(), told + 1) << "of the step before";
}

} // namespace
} // namespace cavern::cpu
