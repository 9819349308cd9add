#include <gtest/gtest.h>

#include "cosim/ibex_core.h"
#include "cpu/hart.h"
#include "cpu/ibex_timing.h"
#include "tests/cosim/ibex_fixture.h"
#include "tests/cosim/random_program.h"

namespace cavern {
namespace {

using namespace rv32;
using cpu::Retired;

/// The same instructions with the same effects, whenever.
void expect_same_but_time(const std::vector<Retired>& one, const std::vector<Retired>& other) {
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        SCOPED_TRACE(i);
        ASSERT_EQ(one[i].pc, other[i].pc);
        ASSERT_EQ(one[i].instruction, other[i].instruction);
        ASSERT_EQ(one[i].rd, other[i].rd);
        ASSERT_EQ(one[i].rd_value, other[i].rd_value);
        ASSERT_EQ(one[i].memory_address, other[i].memory_address);
        ASSERT_EQ(one[i].read_mask, other[i].read_mask);
        ASSERT_EQ(one[i].write_mask, other[i].write_mask);
        ASSERT_EQ(one[i].read_data, other[i].read_data);
        ASSERT_EQ(one[i].write_data, other[i].write_data);
        ASSERT_EQ(one[i].trap, other[i].trap);
    }
}

TEST(IbexCoreTest, BootsAndRetiresOneInstructionAfterTheOther) {
    ProcessorMemory memory;
    memory.put_program(Code() << addi(t0, zero, 6) << addi(t1, zero, -7) << mul(t2, t0, t1)
                              << nop());
    IbexCore core(memory.memory(), 1);
    const std::vector<Retired> all = run(core, 3);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].order, 0u);
    EXPECT_EQ(all[0].cycle, cpu::IbexTiming{}.reset);
    EXPECT_EQ(all[0].pc, memory.start());
    EXPECT_EQ(all[0].next_pc, memory.start() + 4);
    EXPECT_EQ(all[2].order, 2u);
    EXPECT_EQ(all[2].instruction, mul(t2, t0, t1));
    EXPECT_EQ(all[2].rd, t2);
    EXPECT_EQ(all[2].rd_value, static_cast<std::uint32_t>(-42));
}

TEST(IbexCoreTest, ResetStartsAgain) {
    ProcessorMemory memory;
    memory.put_program(Code() << addi(t0, t0, 1) << jal(zero, -4));
    IbexCore core(memory.memory(), 1);
    run(core, 101);
    core.reset();
    const std::vector<Retired> all = run(core, 1);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].cycle, cpu::IbexTiming{}.reset);
    EXPECT_EQ(all[0].rd_value, 1u);
}

TEST(IbexCoreTest, SaysWhatLoadsAndStoresDidOnTheBus) {
    ProcessorMemory memory;
    memory.put_program(Code() << lui(sp, memory.data()) << lui(t0, 0x89ABC000) << addi(t0, t0, -529)
                              << sw(t0, sp, 8) << lb(t1, sp, 9) << sh(t0, sp, 7) << lh(t1, sp, 7)
                              << lw(t1, sp, 6));
    IbexCore core(memory.memory(), 1);
    std::vector<Retired> all = run(core, 5);
    ASSERT_EQ(all.size(), 5u);
    EXPECT_EQ(all[3].write_mask, 0xF);
    EXPECT_EQ(all[3].read_mask, 0);
    EXPECT_EQ(all[3].memory_address, memory.data() + 8);
    EXPECT_EQ(all[3].write_data, 0x89ABBDEFu);
    EXPECT_EQ(all[4].read_mask, 1);
    EXPECT_EQ(all[4].memory_address, memory.data() + 9);
    EXPECT_EQ(all[4].read_data, 0xBDu);
    EXPECT_EQ(all[4].rd_value, 0xFFFFFFBDu);
    ASSERT_EQ(core.accesses(), 1u);
    EXPECT_EQ(core.access(0).size, 1u);

    // Across words: two accesses, one instruction.
    all = run(core, 1);
    EXPECT_EQ(all[0].write_mask, 3);
    EXPECT_EQ(all[0].write_data, 0xBDEFu);
    ASSERT_EQ(core.accesses(), 2u);
    EXPECT_EQ(core.access(0).address, memory.data() + 7);
    EXPECT_EQ(core.access(0).size, 1u);
    EXPECT_EQ(core.access(1).address, memory.data() + 8);
    all = run(core, 2);
    EXPECT_EQ(all[0].rd_value, 0xFFFFBDEFu);
    EXPECT_EQ(all[1].read_data, 0xBDBDEF00u);
    EXPECT_EQ(all[1].rd_value, 0xBDBDEF00u);
}

TEST(IbexCoreTest, AccessOutsideMemoryTrapsWithoutAnEffect) {
    ProcessorMemory memory;
    memory.put_vector(0, Code() << csrr(a0, kMcause));
    memory.put_program(Code() << lw(t0, zero, 16));
    IbexCore core(memory.memory(), 1);
    const std::vector<Retired> all = run(core, 2);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0].trap);
    EXPECT_EQ(all[0].rd, 0);
    EXPECT_EQ(all[0].read_mask, 0);
    EXPECT_EQ(all[1].pc, memory.memory().map().boot_address());
    EXPECT_TRUE(all[1].interrupt);
    EXPECT_EQ(all[1].rd_value, 5u); // load access fault
}

TEST(IbexCoreTest, OnlyAnExecutedPrefetchFaults) {
    ProcessorMemory memory;
    const cpu::MemoryRegion& code = memory.memory().map().instruction;
    memory.put_vector(0, Code() << csrr(a0, kMcause));
    memory.put(code.base + code.size - 8, Code() << nop() << jal(zero, -4));
    memory.put_program(Code() << lui(t0, code.base + code.size) << jalr(zero, t0, -8));
    IbexCore core(memory.memory(), 1);
    for (const Retired& retired : run(core, 100)) {
        EXPECT_FALSE(retired.trap);
    }
    memory.put(code.base + code.size - 4, Code() << nop());
    std::vector<Retired> all = run(core, 8);
    while (!all.empty() && !all.front().interrupt) {
        all.erase(all.begin());
    }
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all[0].rd_value, 1u); // instruction access fault
}

TEST(IbexCoreTest, EachInterruptLineHasItsVector) {
    for (const std::uint32_t line : {3u, 7u, 11u, 16u, 23u, 30u}) {
        SCOPED_TRACE(line);
        ProcessorMemory memory;
        memory.put_vector(line, Code() << csrr(a0, kMcause));
        memory.put_program(Code() << addi(t0, zero, -1) << csrrw(zero, kMie, t0)
                                  << csrrsi(zero, kMstatus, 8) << addi(t1, t1, 1) << jal(zero, -4));
        IbexCore core(memory.memory(), 1);
        for (const Retired& retired : run(core, 50)) {
            EXPECT_FALSE(retired.interrupt);
        }
        core.set_interrupt(line, true);
        std::vector<Retired> all = run(core, 3);
        while (!all.empty() && !all.front().interrupt) {
            all.erase(all.begin());
        }
        ASSERT_FALSE(all.empty());
        EXPECT_EQ(all[0].pc, memory.memory().map().boot_address() + 4 * line);
        EXPECT_EQ(all[0].rd_value, 0x80000000u | line);
        EXPECT_EQ(core.rvfi().mip_before, 1u << line);
    }
}

TEST(IbexCoreTest, SleepsUntilALineRises) {
    ProcessorMemory memory;
    memory.put_program(Code() << addi(t0, zero, -1) << csrrw(zero, kMie, t0) << kWfi
                              << csrr(a0, kMcycle));
    IbexCore core(memory.memory(), 1);
    ASSERT_EQ(run(core, 3).size(), 3u);
    const std::uint64_t asleep_at = core.retired().cycle;
    EXPECT_FALSE(core.step(1000));
    EXPECT_TRUE(core.asleep());
    const std::uint64_t risen = core.cycle();
    core.set_interrupt(cpu::interrupt::kTimer, true);
    ASSERT_TRUE(core.step(10));
    EXPECT_EQ(core.retired().cycle, risen + cpu::IbexTiming{}.wake);
    // Without a clock mcycle stands still.
    EXPECT_EQ(core.retired().rd_value, asleep_at + cpu::IbexTiming{}.wfi);
}

TEST(IbexCoreTest, WaitCyclesChangeTimesAlone) {
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        SCOPED_TRACE(seed);
        const RandomProgram program(seed, 2000, 0x200000);
        std::vector<Retired> streams[4];
        for (std::uint32_t most = 0; most < 4; ++most) {
            ProcessorMemory memory;
            memory.put_program(program.code());
            RandomWaits waits(seed, most * most);
            IbexCore core(memory.memory(), 1, &waits);
            streams[most] = run_to(core, memory.start() + program.end());
            ASSERT_GT(streams[most].size(), 1000u);
            ASSERT_EQ(streams[most].back().instruction, kEcall);
            expect_same_but_time(streams[0], streams[most]);
        }
        EXPECT_LT(streams[0].back().cycle, streams[1].back().cycle);
        EXPECT_LT(streams[1].back().cycle, streams[3].back().cycle);
    }
}

TEST(IbexCoreTest, WhatRegistersHoldBeforeResetDoesNotMatter) {
    const RandomProgram program(5, 2000, 0x200000);
    std::vector<Retired> streams[2];
    for (const std::uint32_t seed : {0u, 1u}) {
        ProcessorMemory memory;
        memory.put_program(program.code());
        IbexCore core(memory.memory(), 77 + seed);
        streams[seed] = run_to(core, memory.start() + program.end());
    }
    expect_same_but_time(streams[0], streams[1]);
    EXPECT_EQ(streams[0].back().cycle, streams[1].back().cycle);
}

/// Cycles from one instruction's start to that of an ADDI after it.
struct Cost {
    const char* name;
    std::uint32_t instruction;
    std::uint32_t cycles;
    bool jumps = false; ///< to the ADDI
};

TEST(IbexCoreTest, CyclesAreThoseOfTheTimingModel) {
    const cpu::IbexTiming timing;
    const Cost costs[] = {
        {"add", add(t0, t0, t0), timing.alu},
        {"csr", csrr(t0, kMcycle), timing.csr},
        {"load", lw(t0, sp, 4), timing.load},
        {"store", sw(t0, sp, 4), timing.store},
        {"load across words", lw(t0, sp, 5), timing.load + timing.crossing},
        {"store across words", sh(t0, sp, 3), timing.store + timing.crossing},
        {"half word inside a word", lh(t0, sp, 1), timing.load},
        {"mul", mul(t0, t0, t0), timing.mul},
        {"mulh", mulh(t0, t0, t0), timing.mulh},
        {"div", div(t0, t1, t2), timing.divide},
        {"remu", remu(t0, t1, t2), timing.divide},
        {"div by zero", div(t0, t1, zero), timing.divide_by_zero},
        {"jump", jal(zero, 4), timing.jump, true},
        {"fence.i", kFenceI, timing.jump, true},
        {"branch not taken", bne(zero, zero, 8), timing.branch_not_taken},
        {"branch taken", beq(zero, zero, 4), timing.branch_taken, true},
        {"write of mie", csrrs(zero, kMie, t1), timing.csr + timing.csr_flush},
        {"write of mstatus", csrrw(t0, kMstatus, t2), timing.csr + timing.csr_flush},
        {"clearing bits of mie", csrrs(zero, kMie, t1) | 0x1000, timing.csr},
        {"ecall", kEcall, timing.exception},
        {"illegal", kIllegal, timing.exception},
        {"load fault", lw(t0, zero, 0), timing.load + timing.access_fault},
        {"wfi that wakes at once", kWfi, timing.wfi},
    };
    for (const bool unaligned : {false, true}) {
        for (const Cost& cost : costs) {
            SCOPED_TRACE(cost.name);
            ProcessorMemory memory;
            memory.put_vector(0, Code() << addi(a0, zero, 1));
            Code code;
            code << lui(sp, memory.data()) << addi(t1, zero, -1) << csrrw(zero, kMie, t1)
                 << addi(t2, zero, 3);
            if (unaligned) {
                code << kCNop;
            }
            code << nop() << cost.instruction << addi(a0, zero, 1);
            memory.put_program(code);
            IbexCore core(memory.memory(), 1);
            core.set_interrupt(cpu::interrupt::kTimer, true); // mstatus.MIE is off
            std::uint64_t before = 0;
            while (core.step(100) && core.retired().instruction != cost.instruction) {
                before = core.retired().cycle;
            }
            ASSERT_TRUE(core.step(100));
            EXPECT_EQ(core.retired().instruction, addi(a0, zero, 1));
            const bool penalty = cost.jumps && core.retired().pc % 4 != 0;
            EXPECT_EQ(core.retired().cycle - before - 1,
                      cost.cycles + (penalty ? timing.unaligned_target : 0));
        }
    }
}

} // namespace
} // namespace cavern
