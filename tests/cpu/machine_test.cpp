#include "cpu/machine.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/cpu/assemble.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

using namespace assemble;

constexpr std::uint32_t kStart = 0x0010'0080;
constexpr std::uint64_t kPlenty = 50'000'000;

class FirmwareSelfTest : public testing::TestWithParam<std::string> {};

TEST_P(FirmwareSelfTest, ChecksItself) {
    const Program program = Program::read(firmware_image("test_" + GetParam()), {});
    std::string log;
    Machine machine({}, {}, needs_traps(GetParam()) ? FaultPolicy::kTrap : FaultPolicy::kStop,
                    [&log](char byte, std::uint64_t) { log += byte; });
    machine.load(program);
    const Outcome outcome = machine.run(kPlenty);
    EXPECT_EQ(outcome.end, End::kExit) << program.describe(machine.hart().pc());
    EXPECT_EQ(outcome.status, 0u) << log;
    EXPECT_NE(log.find("checks, 0 failed"), std::string::npos) << log;
}

TEST_P(FirmwareSelfTest, GivesTheSameWhenObserved) {
    const Program program = Program::read(firmware_image("test_" + GetParam()), {});
    const FaultPolicy policy = needs_traps(GetParam()) ? FaultPolicy::kTrap : FaultPolicy::kStop;
    Machine plain({}, {}, policy);
    plain.load(program);
    plain.run(kPlenty);
    Machine observed({}, {}, policy);
    observed.load(program);
    std::uint64_t count = 0;
    std::uint64_t last_cycle = 0;
    observed.run(kPlenty, [&](const Retired& retired) {
        ASSERT_EQ(retired.order, count);
        ASSERT_GT(retired.cycle, last_cycle);
        last_cycle = retired.cycle;
        ++count;
    });
    EXPECT_EQ(plain.hart().executed(), count);
    EXPECT_EQ(plain.hart().instructions(), observed.hart().instructions());
    EXPECT_EQ(plain.hart().cycle(), observed.hart().cycle());
}

INSTANTIATE_TEST_SUITE_P(Firmware, FirmwareSelfTest, testing::ValuesIn(firmware_tests()),
                         [](const auto& test) { return test.param; });

TEST(MachineTest, AFailedCheckOfFirmwareIsItsStatus) {
    // A processor whose SRA is told to be SRL: three instructions of the image are changed.
    const Program program = Program::read(firmware_image("test_arithmetic"), {});
    Machine machine;
    machine.load(program);
    const auto function = program.address_of("run_sra");
    const std::uint32_t from = function.value_or(program.entry());
    unsigned changed = 0;
    for (const Segment& segment : program.segments()) {
        for (std::uint32_t i = 0; i + 4 <= segment.bytes.size(); i += 2) {
            std::uint32_t word = 0;
            ASSERT_TRUE(machine.memory().read(segment.address + i, &word, 4));
            if ((word & 0xFE00'707F) == 0x4000'5033) { // SRA
                word &= ~0x4000'0000u;
                ASSERT_TRUE(machine.memory().write(segment.address + i, &word, 4));
                ++changed;
            }
        }
    }
    EXPECT_GT(changed, 0u) << from;
    const Outcome outcome = machine.run(kPlenty);
    EXPECT_EQ(outcome.end, End::kExit);
    EXPECT_GT(outcome.status, 0u);
}

class SmallMachineTest : public testing::Test {
  protected:
    void program(std::initializer_list<std::uint32_t> words, std::uint32_t at = kStart) {
        for (const std::uint32_t word : words) {
            ASSERT_TRUE(machine.memory().write(at, &word, 4));
            at += 4;
        }
    }
    std::string log;
    std::vector<std::uint64_t> times;
    Machine machine{{}, {}, FaultPolicy::kStop, [this](char byte, std::uint64_t cycle) {
                        log += byte;
                        times.push_back(cycle);
                    }};
};

TEST_F(SmallMachineTest, WritesTheLogAndEndsWithAStatus) {
    program(
        {lui(5, 0x4002'0000), addi(6, 0, 'H'), sw(6, 5, 0), addi(6, 0, 7), sw(6, 5, 8), jal(0, 0)});
    const Outcome outcome = machine.run(100);
    EXPECT_EQ(outcome.end, End::kExit);
    EXPECT_EQ(outcome.status, 7u);
    EXPECT_EQ(log, "H");
    EXPECT_EQ(times.at(0), IbexTiming{}.reset + 2u);
    EXPECT_EQ(machine.hart().instructions(), 5u) << "the store ends it at once";
}

TEST_F(SmallMachineTest, TheWatchdogEndsWhatDoesNot) {
    program({jal(0, 0)});
    EXPECT_EQ(machine.run(1000).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().executed(), 1000u);
    EXPECT_EQ(machine.run(500).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().executed(), 1500u);
}

TEST_F(SmallMachineTest, TheWatchdogAlsoEndsAStormOfTraps) {
    program({0xFFFF'FFFF}, 0x0010'0000);
    program({kEcall});
    machine.hart().set_fault_policy(FaultPolicy::kTrap);
    EXPECT_EQ(machine.run(1000).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().instructions(), 0u);
}

TEST_F(SmallMachineTest, WaitingForWhatNeverComesIsTheEnd) {
    program({kWfi, jal(0, 0)});
    EXPECT_EQ(machine.run(1000).end, End::kDead);
}

TEST_F(SmallMachineTest, TheRegisterBlockIsNotThere) {
    program({lui(5, 0x4000'0000), lw(6, 5, 0)});
    EXPECT_EQ(machine.run(1000).end, End::kFault);
    EXPECT_EQ(machine.hart().fault().address, 0x4000'0000u);
}

// mtimecmp = 500: the loop is interrupted by the first instruction that would begin at cycle 500 or
// later, whichever way it is run.
class TimerInterruptTest : public SmallMachineTest, public testing::WithParamInterface<bool> {};

TEST_P(TimerInterruptTest, ComesInItsCycle) {
    machine.hart().set_csr(csr::kMie, 1u << 7);
    machine.hart().set_csr(csr::kMstatus, 8);
    program({lui(5, 0x4001'0000), addi(6, 0, 500), sw(6, 5, 8), sw(0, 5, 12), addi(7, 7, 1),
             jal(0, -4)});
    // The handler reads mcycle and ends the run.
    program({csrrs(10, csr::kMcycle, 0), lui(5, 0x4002'0000), sw(0, 5, 8)}, 0x0010'001C);
    const Outcome outcome =
        GetParam() ? machine.run(5000, [](const Retired&) {}) : machine.run(5000);
    EXPECT_EQ(outcome.end, End::kExit);
    const IbexTiming timing;
    EXPECT_GE(machine.hart().reg(10), 500 + timing.interrupt);
    EXPECT_LE(machine.hart().reg(10), 500 + timing.interrupt + timing.jump - 1);
    EXPECT_GT(machine.hart().reg(7), 100u);
}

INSTANTIATE_TEST_SUITE_P(Observed, TimerInterruptTest, testing::Bool());

TEST(MachineTimerTest, RisesWhereItSaysAndNotBefore) {
    MachineTimer timer;
    EXPECT_EQ(timer.rises_at(0), Hart::kForever);
    EXPECT_FALSE(timer.line(1'000'000));
    timer.store(0x8, 700, 4, 10);
    timer.store(0xC, 0, 4, 11);
    EXPECT_EQ(timer.rises_at(20), 700u);
    EXPECT_FALSE(timer.line(699));
    EXPECT_TRUE(timer.line(700));
    EXPECT_EQ(timer.rises_at(800), 800u);
    timer.store(0x0, 0, 4, 1000); // mtime begins again
    EXPECT_EQ(timer.load(0x0, 4, 1005).data, 5u);
    EXPECT_EQ(timer.rises_at(1005), 1700u);
    timer.store(0x4, 3, 4, 2000);
    EXPECT_EQ(timer.load(0x4, 4, 2000).data, 3u);
    EXPECT_TRUE(timer.line(2000));
    EXPECT_EQ(timer.load(0xC, 4, 0).data, 0u);
    EXPECT_TRUE(timer.load(0x10, 4, 0).fault);
    EXPECT_TRUE(timer.load(0x0, 2, 0).fault);
    EXPECT_TRUE(timer.store(0x1, 0, 1, 0).fault);
}

} // namespace
} // namespace cavern::cpu
