#include "cpu/hart.h"

#include "tests/cpu/assemble.h"
#include "tests/cpu/hart_fixture.h"

namespace cavern::cpu {
namespace {

using namespace assemble;

TEST_F(HartTest, StartsAsIbexDoes) {
    EXPECT_EQ(hart.pc(), 0x0010'0080u);
    EXPECT_EQ(hart.csr(csr::kMstatus), 0x80u);
    EXPECT_EQ(hart.csr(csr::kMtvec), 0x0010'0001u);
    EXPECT_EQ(hart.csr(csr::kMisa), 0x4010'1104u);
    EXPECT_EQ(hart.csr(csr::kMarchid), 22u);
    EXPECT_FALSE(hart.csr(0x7A0));
    EXPECT_FALSE(hart.set_csr(csr::kMhartid, 1));
}

TEST_F(HartTest, ReportsWhatAnInstructionDid) {
    program({lui(5, kData), addi(6, 0, -2), sw(6, 5, 8), lh(7, 5, 10), jal(1, 8)});
    Retired lui_done = step();
    EXPECT_EQ(lui_done.order, 0u);
    EXPECT_EQ(lui_done.rd, 5);
    EXPECT_EQ(lui_done.rd_value, kData);
    step();
    const Retired stored = step();
    EXPECT_EQ(stored.write_mask, 0xF);
    EXPECT_EQ(stored.memory_address, kData + 8);
    EXPECT_EQ(stored.write_data, 0xFFFF'FFFEu);
    EXPECT_EQ(stored.rd, 0);
    const Retired loaded = step();
    EXPECT_EQ(loaded.read_mask, 0x3);
    EXPECT_EQ(loaded.read_data, 0xFFFFu);
    EXPECT_EQ(loaded.rd_value, 0xFFFF'FFFFu);
    const Retired jumped = step();
    EXPECT_EQ(jumped.order, 4u);
    EXPECT_EQ(jumped.pc, kStart + 16);
    EXPECT_EQ(jumped.next_pc, kStart + 24);
    EXPECT_EQ(jumped.rd_value, kStart + 20);
    EXPECT_EQ(hart.instructions(), 5u);
}

TEST_F(HartTest, StopsAtWhatFirmwareMustNotDo) {
    struct Case {
        std::uint32_t instruction;
        std::uint32_t base;
        FaultKind kind;
        std::uint32_t address;
    };
    for (const Case& c : {Case{lw(7, 5, 2), kData, FaultKind::kMisaligned, kData + 2},
                          Case{store(1, 7, 5, 1), kData, FaultKind::kMisaligned, kData + 1},
                          Case{lw(7, 5, 0), 0x1000'0000, FaultKind::kLoad, 0x1000'0000},
                          Case{sw(7, 5, 4), 0x1000'0000, FaultKind::kStore, 0x1000'0004},
                          Case{lw(7, 5, 0), 0x4000'2000, FaultKind::kLoad, 0x4000'2000},
                          Case{0xFFFF'FFFF, 0, FaultKind::kIllegal, kStart},
                          Case{csrrs(7, 0xC00, 0), 0, FaultKind::kIllegal, kStart}}) {
        hart.reset(kStart);
        hart.set_reg(5, c.base);
        hart.set_reg(7, 99);
        program({c.instruction});
        EXPECT_EQ(hart.run(10), Stop::kFault);
        EXPECT_EQ(hart.fault().kind, c.kind);
        EXPECT_EQ(hart.fault().pc, kStart);
        EXPECT_EQ(hart.fault().instruction, c.instruction);
        EXPECT_EQ(hart.fault().address, c.address);
        EXPECT_EQ(hart.pc(), kStart) << "the instruction has had no effect";
        EXPECT_EQ(hart.reg(7), 99u);
        EXPECT_EQ(hart.instructions(), 0u);
    }
    hart.reset(kData);
    EXPECT_EQ(hart.run(10), Stop::kFault);
    EXPECT_EQ(hart.fault().kind, FaultKind::kFetch);
    EXPECT_EQ(hart.fault().address, kData);
}

TEST_F(HartTest, TheEndOfTheInstructionMemoryIsTheEndOfCode) {
    const std::uint32_t end = kVectors + 256 * 1024;
    write(end - 4, {nop()});
    hart.set_pc(end - 4);
    EXPECT_EQ(hart.run(10), Stop::kFault);
    EXPECT_EQ(hart.instructions(), 1u);
    EXPECT_EQ(hart.fault().kind, FaultKind::kFetch);
    EXPECT_EQ(hart.fault().pc, end);
    // A compressed instruction in the last halfword, and then a long one cut in two.
    write(end - 4, {kTwoCompressedNops});
    hart.reset(end - 2);
    EXPECT_EQ(hart.run(10), Stop::kFault);
    EXPECT_EQ(hart.fault().pc, end);
    hart.set_fault_policy(FaultPolicy::kTrap);
    write(end - 4, {0x0013'0001});
    hart.reset(end - 2);
    EXPECT_TRUE(step().trap);
    EXPECT_EQ(hart.csr(csr::kMcause), cause::kFetchFault);
    EXPECT_EQ(hart.csr(csr::kMepc), end - 2);
    EXPECT_EQ(hart.csr(csr::kMtval), end) << "the part that is missing";
    // A jump out of it comes back with MRET.
    program({jalr(1, 5, 0), addi(6, 6, 1)});
    hart.reset(kStart);
    hart.set_reg(5, 0x7000'0000);
    EXPECT_EQ(step().next_pc, 0x7000'0000u);
    const Retired trapped = step();
    EXPECT_TRUE(trapped.trap);
    EXPECT_EQ(trapped.pc, 0x7000'0000u);
    EXPECT_EQ(hart.csr(csr::kMtval), 0x7000'0000u);
}

TEST_F(HartTest, TrapsAsTheCoreDoesWhereItIsToldTo) {
    hart.set_fault_policy(FaultPolicy::kTrap);
    program({0xFFFF'FFFF});
    const Retired trapped = step();
    EXPECT_TRUE(trapped.trap);
    EXPECT_FALSE(trapped.interrupt);
    EXPECT_EQ(trapped.next_pc, kVectors);
    EXPECT_EQ(hart.csr(csr::kMcause), cause::kIllegal);
    EXPECT_EQ(hart.csr(csr::kMtval), 0xFFFF'FFFFu);
    EXPECT_EQ(hart.csr(csr::kMepc), kStart);
    EXPECT_EQ(hart.instructions(), 0u);
    write(kVectors, {nop()});
    const Retired handler = step();
    EXPECT_TRUE(handler.interrupt) << "the first instruction of the handler";
    EXPECT_EQ(handler.order, 1u);
    EXPECT_EQ(hart.instructions(), 1u);
}

TEST_F(HartTest, CrossesWordsWithTwoAccesses) {
    hart.set_fault_policy(FaultPolicy::kTrap);
    hart.set_reg(5, kData);
    hart.set_reg(6, 0x4433'2211);
    hart.set_reg(8, ScriptedBus::kBase);
    program({sw(6, 5, 3), lw(7, 5, 3), lw(7, 8, 6), sw(6, 8, 1), store(1, 6, 8, 1)});
    step();
    EXPECT_EQ(word_at(kData), 0x1100'0000u);
    EXPECT_EQ(word_at(kData + 4), 0x0044'3322u);
    EXPECT_EQ(step().rd_value, 0x4433'2211u);
    bus.answer = 0xBBAA;
    EXPECT_EQ(step().rd_value, 0xBBAA'BBAAu);
    step();
    step();
    ASSERT_EQ(bus.accesses.size(), 5u);
    EXPECT_EQ(bus.accesses[0].address, ScriptedBus::kBase + 6);
    EXPECT_EQ(bus.accesses[0].size, 2u);
    EXPECT_EQ(bus.accesses[1].address, ScriptedBus::kBase + 8);
    EXPECT_EQ(bus.accesses[2].size, 3u);
    EXPECT_EQ(bus.accesses[2].value, 0x33'2211u);
    EXPECT_EQ(bus.accesses[3].value, 0x44u);
    // Within a word there is one access, aligned or not.
    EXPECT_EQ(bus.accesses[4].address, ScriptedBus::kBase + 1);
    EXPECT_EQ(bus.accesses[4].size, 2u);
}

TEST_F(HartTest, TheHalfOfACrossingLoadThatFailsIsInMtval) {
    hart.set_fault_policy(FaultPolicy::kTrap);
    hart.set_reg(5, kData + 256 * 1024 - 2);
    program({lw(7, 5, 0)});
    step();
    EXPECT_EQ(hart.csr(csr::kMcause), cause::kLoadFault);
    EXPECT_EQ(hart.csr(csr::kMtval), kData + 256 * 1024);
}

TEST_F(HartTest, TakesTheFirstPendingInterruptByPriority) {
    const std::uint32_t all = 1u << 16 | 1u << 30 | 1u << 11 | 1u << 3 | 1u << 7;
    hart.set_interrupts(all);
    EXPECT_EQ(hart.csr(csr::kMip), all);
    for (const std::uint32_t expected : {16u, 30u, 11u, 3u, 7u}) {
        hart.set_pc(kStart);
        hart.set_csr(csr::kMie, 0xFFFF'FFFF);
        hart.set_csr(csr::kMstatus, 8);
        write(kVectors + 4 * expected, {addi(5, 0, static_cast<std::int32_t>(expected))});
        const Retired first = step();
        EXPECT_TRUE(first.interrupt);
        EXPECT_EQ(first.pc, kVectors + 4 * expected);
        EXPECT_EQ(first.rd_value, expected);
        EXPECT_EQ(hart.csr(csr::kMcause), 0x8000'0000u | expected);
        EXPECT_EQ(hart.csr(csr::kMepc), kStart);
        hart.set_interrupt(expected, false);
    }
    hart.set_pc(kStart);
    program({nop()});
    hart.set_csr(csr::kMstatus, 8);
    EXPECT_FALSE(step().interrupt);
}

TEST_F(HartTest, AnInterruptNeedsBothEnables) {
    program({nop(), nop(), nop(), nop()});
    hart.set_interrupt(interrupt::kTimer, true);
    EXPECT_FALSE(step().interrupt);
    hart.set_csr(csr::kMie, 1u << 7);
    EXPECT_FALSE(step().interrupt);
    hart.set_csr(csr::kMie, 1u << 11);
    hart.set_csr(csr::kMstatus, 8);
    EXPECT_FALSE(step().interrupt);
    write(kVectors + 28, {kMret});
    hart.set_csr(csr::kMie, 1u << 7);
    EXPECT_TRUE(step().interrupt);
}

TEST_F(HartTest, TakesAnInterruptThatACsrWriteOrAStoreBringsAboutBeforeTheNextInstruction) {
    hart.set_interrupt(interrupt::kExternal, true);
    hart.set_csr(csr::kMie, 1u << 11);
    hart.set_reg(5, 8);
    program({csrrs(0, csr::kMstatus, 5), addi(6, 6, 1)});
    write(kVectors + 44, {addi(7, 7, 1)});
    EXPECT_EQ(hart.run(2), Stop::kInstructions);
    EXPECT_EQ(hart.reg(6), 0u);
    EXPECT_EQ(hart.reg(7), 1u);

    hart.reset(kStart);
    hart.set_interrupts(0);
    bus.hart = &hart;
    hart.set_csr(csr::kMie, 1u << 11);
    hart.set_csr(csr::kMstatus, 8);
    hart.set_reg(5, ScriptedBus::kBase);
    hart.set_reg(8, 1u << 11);
    program({sw(8, 5, 0), addi(6, 6, 1)});
    EXPECT_EQ(hart.run(2), Stop::kRequested);
    EXPECT_EQ(hart.run(1), Stop::kInstructions);
    EXPECT_EQ(hart.reg(6), 0u);
    EXPECT_EQ(hart.reg(7), 1u);
}

TEST_F(HartTest, WaitsUntilAnEnabledInterruptIsPending) {
    program({kWfi, addi(6, 6, 1)});
    EXPECT_EQ(hart.run(10), Stop::kWaiting);
    EXPECT_TRUE(hart.waiting());
    EXPECT_EQ(hart.instructions(), 1u);
    hart.set_interrupt(interrupt::kTimer, true);
    EXPECT_EQ(hart.run(10), Stop::kWaiting) << "not enabled in mie";
    hart.set_csr(csr::kMie, 1u << 7);
    hart.advance_to(1000);
    EXPECT_EQ(hart.run(1), Stop::kInstructions) << "mstatus.MIE does not matter";
    EXPECT_EQ(hart.reg(6), 1u);
    EXPECT_EQ(hart.cycle(), 1000u + IbexTiming{}.wake + IbexTiming{}.alu);
}

TEST_F(HartTest, RunsForSoManyInstructionsOrUntilACycle) {
    program({addi(5, 5, 1), jal(0, -4)});
    EXPECT_EQ(hart.run(7), Stop::kInstructions);
    EXPECT_EQ(hart.instructions(), 7u);
    const std::uint64_t cycle = hart.cycle();
    EXPECT_EQ(hart.run(1000, cycle + 10), Stop::kCycle);
    EXPECT_GE(hart.cycle(), cycle + 10);
    EXPECT_LT(hart.cycle(), cycle + 12);
    EXPECT_EQ(hart.run(1000, cycle), Stop::kCycle);
}

TEST_F(HartTest, SteppingAndRunningAreTheSame) {
    program({addi(5, 5, 3), mul(6, 5, 5), bne(5, 7, 8), nop(), sw(6, 8, 0), lw(9, 8, 0),
             csrrs(10, csr::kMcycle, 0), jal(0, -28)});
    Hart other{memory};
    hart.set_reg(8, kData);
    other.set_reg(8, kData);
    for (int i = 0; i < 500; ++i) {
        step();
        ASSERT_EQ(other.run(1), Stop::kInstructions);
        ASSERT_EQ(hart.pc(), other.pc());
        ASSERT_EQ(hart.cycle(), other.cycle());
        for (std::uint32_t r = 0; r < 32; ++r) {
            ASSERT_EQ(hart.reg(r), other.reg(r));
        }
    }
    EXPECT_EQ(hart.instructions(), other.instructions());
}

TEST_F(HartTest, HoldsAtBreakpointsAndGoesOn) {
    program({addi(5, 5, 1), addi(6, 6, 1), jal(0, -8)});
    hart.add_breakpoint(kStart + 4);
    for (std::uint32_t round = 1; round < 4; ++round) {
        EXPECT_EQ(hart.run(100), Stop::kBreakpoint);
        EXPECT_EQ(hart.pc(), kStart + 4);
        EXPECT_EQ(hart.reg(5), round);
        EXPECT_EQ(hart.reg(6), round - 1);
    }
    // A run that ends just before one does not pass it.
    EXPECT_EQ(hart.run(3), Stop::kInstructions);
    EXPECT_EQ(hart.run(3), Stop::kBreakpoint);
    hart.remove_breakpoint(kStart + 4);
    EXPECT_EQ(hart.run(100), Stop::kInstructions);
}

TEST_F(HartTest, ObservingARunShowsWhatStepsDo) {
    program({addi(5, 5, 3), mul(6, 5, 5), sw(6, 8, 0), csrrs(10, csr::kMcycle, 0), jal(0, -16)});
    Hart other{memory};
    hart.set_reg(8, kData);
    other.set_reg(8, kData);
    std::uint64_t seen = 0;
    EXPECT_EQ(other.run(100, Hart::kForever,
                        [&](const Retired& retired) {
                            const Retired expected = step();
                            EXPECT_EQ(retired.order, expected.order);
                            EXPECT_EQ(retired.cycle, expected.cycle);
                            EXPECT_EQ(retired.next_pc, expected.next_pc);
                            EXPECT_EQ(retired.rd_value, expected.rd_value);
                            EXPECT_EQ(retired.write_data, expected.write_data);
                            ++seen;
                        }),
              Stop::kInstructions);
    EXPECT_EQ(seen, 100u);
    other.add_breakpoint(kStart + 8);
    EXPECT_EQ(other.run(100, Hart::kForever, [](const Retired&) {}), Stop::kBreakpoint);
}

TEST_F(HartTest, ExecutesWhatWasWrittenLast) {
    program({addi(5, 0, 1), jal(0, -4)});
    hart.run(4);
    EXPECT_EQ(hart.reg(5), 1u);
    const std::uint32_t changed = addi(5, 0, 2);
    ASSERT_TRUE(memory.write(kStart, &changed, 4)); // from outside
    hart.run(4);
    EXPECT_EQ(hart.reg(5), 2u);
    // By the hart itself, and only the upper half of the instruction before.
    hart.reset(kStart);
    hart.set_reg(6, kStart);
    hart.set_reg(7, addi(5, 0, 3) >> 16);
    program({addi(5, 0, 1), store(1, 7, 6, 2), kFenceI, jal(0, -12)});
    hart.run(5);
    EXPECT_EQ(hart.reg(5), 3u);
}

TEST_F(HartTest, CallsTheBusWithTheCycleOfTheInstruction) {
    hart.set_reg(5, ScriptedBus::kBase);
    bus.answer = 0x1234'5678;
    program({nop(), lw(6, 5, 4)});
    step();
    const std::uint64_t before = hart.cycle();
    EXPECT_EQ(step().rd_value, 0x1234'5678u);
    ASSERT_EQ(bus.accesses.size(), 1u);
    EXPECT_EQ(bus.accesses[0].cycle, before);
}

TEST_F(HartTest, UserModeMayNotTouchMachineRegisters) {
    hart.set_fault_policy(FaultPolicy::kTrap);
    program({kMret});
    write(kStart + 0x20, {csrrs(5, csr::kMscratch, 0)});
    hart.set_csr(csr::kMepc, kStart + 0x20);
    step();
    EXPECT_TRUE(hart.in_user_mode()) << "mstatus.MPP is user mode after reset";
    EXPECT_TRUE(step().trap);
    EXPECT_FALSE(hart.in_user_mode());
    EXPECT_EQ(hart.csr(csr::kMcause), cause::kIllegal);
}

TEST_F(HartTest, RemembersADoubleFault) {
    hart.set_fault_policy(FaultPolicy::kTrap);
    write(kVectors, {0xFFFF'FFFF});
    program({kEcall});
    step();
    EXPECT_EQ(hart.csr(csr::kCpuctrlsts), 0x40u);
    step();
    EXPECT_EQ(hart.csr(csr::kCpuctrlsts), 0xC0u);
}

} // namespace
} // namespace cavern::cpu
