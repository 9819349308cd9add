#include <gtest/gtest.h>

#include "tests/cosim/lockstep_run.h"

namespace cavern {
namespace {

using rv32::RandomProgram;

/// Wait cycles of the data port alone: the interpreter has none for instructions.
class DataWaits final : public ExtraWaitIf {
  public:
    explicit DataWaits(std::uint64_t seed) : waits_(seed, 3) {}
    std::uint32_t fetch() override { return 0; }
    std::uint32_t data() override { return waits_.data(); }

  private:
    RandomWaits waits_;
};

TEST(CpuLockstepTest, RandomProgramsAgreeInEffectsAndCycles) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        const LockstepResult result = run_random(seed, 2000, {});
        ASSERT_EQ(result.difference, "");
        EXPECT_GT(result.compared, 1000u);
        EXPECT_EQ(result.off_cycles, 0u);
    }
}

TEST(CpuLockstepTest, WaitCyclesOfDataAgreeToTheCycle) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        DataWaits waits(seed);
        const LockstepResult result = run_random(seed, 2000, {}, &waits);
        ASSERT_EQ(result.difference, "");
        EXPECT_GT(result.compared, 1000u);
        EXPECT_EQ(result.off_cycles, 0u);
    }
}

TEST(CpuLockstepTest, WaitCyclesOfBothPortsChangeNoEffect) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        RandomWaits waits(seed, 4);
        const LockstepResult result = run_random(seed, 2000, {}, &waits);
        ASSERT_EQ(result.difference, "");
        EXPECT_GT(result.compared, 1000u);
    }
}

TEST(CpuLockstepTest, ExceptionsAgreeInEffectsAndCycles) {
    std::uint32_t traps = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        const LockstepResult result = run_random(seed, 2000, {false, true});
        ASSERT_EQ(result.difference, "");
        EXPECT_EQ(result.off_cycles, 0u);
        traps += result.traps;
    }
    EXPECT_GT(traps, 200u);
}

TEST(CpuLockstepTest, InterruptsComeBeforeTheSameInstruction) {
    std::uint32_t interrupts = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        RandomWaits waits(seed, 2);
        const LockstepResult result =
            run_random(seed, 2000, {true, true}, seed % 2 == 0 ? &waits : nullptr);
        ASSERT_EQ(result.difference, "");
        interrupts += result.interrupts;
    }
    EXPECT_GT(interrupts, 1000u);
}

TEST(CpuLockstepTest, ADifferenceShowsTheHistoryOfBoth) {
    ProcessorMemory memory;
    rv32::Code code;
    for (int i = 0; i < 40; ++i) {
        code << rv32::addi(rv32::t0, rv32::t0, 1);
    }
    memory.put_program(code);
    CpuLockstep lockstep(memory.memory(), cpu::IbexTiming{}, 1);
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(lockstep.step(100));
    }
    lockstep.hart().set_reg(rv32::t0, 99);
    try {
        lockstep.step(100);
        FAIL() << "no difference";
    } catch (const ModelError& error) {
        const std::string text = error.what();
        EXPECT_EQ(text.find("processor lockstep: instruction 20 at pc 0x001000d0, cycle 23: value "
                            "written: Ibex 0x15, ISS 0x64; last instructions:\n"),
                  0u)
            << text;
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 32);
        EXPECT_NE(text.find("\n  ISS          23 001000d0 "), std::string::npos) << text;
        EXPECT_NE(text.find("\n  Ibex          8 "), std::string::npos) << text;
        EXPECT_EQ(text.find("\n  Ibex          7 "), std::string::npos) << text;
    }
}

TEST(CpuLockstepTest, BothSleepAndCountTheSameCycles) {
    using namespace rv32;
    ProcessorMemory memory;
    memory.put_program(Code() << addi(t0, zero, -1) << csrrw(zero, kMie, t0) << kWfi << nop()
                              << nop());
    CpuLockstep lockstep(memory.memory(), cpu::IbexTiming{}, 1);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(lockstep.step(100));
    }
    EXPECT_FALSE(lockstep.step(1000));
    lockstep.core().set_interrupt(cpu::interrupt::kTimer, true);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(lockstep.step(100));
        EXPECT_EQ(lockstep.interpreted().cycle, lockstep.core().retired().cycle);
        EXPECT_EQ(lockstep.hart().csr(kMcycle), lockstep.core().rvfi().mcycle + 1);
    }
    EXPECT_GT(lockstep.hart().cycle(), 1000u);
    EXPECT_LT(lockstep.hart().csr(kMcycle), 100u);
}

TEST(CpuLockstepTest, DevicesAreTouchedOnce) {
    /// A register that counts its reads: reading it twice would give two values.
    class Counter final : public cpu::BusIf {
      public:
        cpu::BusAnswer load(std::uint32_t, std::uint32_t, std::uint64_t) override {
            return {++reads_, 5, false};
        }
        cpu::BusAnswer store(std::uint32_t, std::uint32_t value, std::uint32_t,
                             std::uint64_t) override {
            written_ += value;
            return {0, 7, false};
        }
        std::uint32_t reads_ = 0;
        std::uint32_t written_ = 0;
    } counter;
    ProcessorMemory memory(&counter);
    using namespace rv32;
    memory.put_program(Code() << lui(a0, 0x40000000) << lw(t0, a0, 0) << sw(t0, a0, 4)
                              << lw(t1, a0, 0) << add(t2, t0, t1) << sw(t2, a0, 4));
    CpuLockstep lockstep(memory.memory(), cpu::IbexTiming{}, 1);
    for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(lockstep.step(100));
    }
    EXPECT_EQ(counter.reads_, 2u);
    EXPECT_EQ(counter.written_, 4u);
    EXPECT_EQ(lockstep.hart().reg(t2), 3u);
    EXPECT_EQ(lockstep.interpreted().cycle, lockstep.core().retired().cycle);
}

} // namespace
} // namespace cavern
