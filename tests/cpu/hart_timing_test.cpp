// Cycles of each kind of instruction, against the figures of Ibex's pipeline documentation: one
// cycle, and the stall cycles of its table.
#include "tests/cpu/assemble.h"
#include "tests/cpu/hart_fixture.h"

namespace cavern::cpu {
namespace {

using namespace assemble;

class HartTimingTest : public HartTest {};

TEST_F(HartTimingTest, ComputationsTakeACycle) {
    program({addi(5, 0, 1), lui(6, 0x1000), r_type(0, 0, 7, 5, 6), csrrs(8, csr::kMscratch, 0)});
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(cost(), 1u);
    }
}

TEST_F(HartTimingTest, MultiplicationStallsForTwoAndThreeCycles) {
    program({mul(5, 6, 7), mulh(5, 6, 7)});
    EXPECT_EQ(cost(), 1u + 2u);
    EXPECT_EQ(cost(), 1u + 3u);
}

// The states of rtl/ibex_multdiv_fast.sv: idle, two for the signs, 31 and the last for the bits,
// one to change the sign, and the end.
TEST_F(HartTimingTest, DivisionIsLongUnlessByZero) {
    hart.set_reg(7, 3);
    program({div(5, 6, 7), div(5, 6, 0)});
    EXPECT_EQ(cost(), 1u + 2u + 31u + 1u + 1u + 1u);
    EXPECT_EQ(cost(), 1u + 1u);
}

TEST_F(HartTimingTest, JumpsStallForOneCycleTakenBranchesForTwo) {
    program({jal(0, 4), beq(0, 0, 4), bne(0, 0, 4), jalr(0, 5, 0)});
    hart.set_reg(5, kStart);
    EXPECT_EQ(cost(), 2u);
    EXPECT_EQ(cost(), 3u);
    EXPECT_EQ(cost(), 1u);
    EXPECT_EQ(cost(), 2u);
}

TEST_F(HartTimingTest, ATargetAcrossTwoWordsCostsAFetchMore) {
    // To the upper half of a word: a 32-bit instruction is there, then a compressed one.
    program({jal(0, 6), kTwoCompressedNops, kTwoCompressedNops});
    const std::uint16_t low = static_cast<std::uint16_t>(nop());
    ASSERT_TRUE(memory.write(kStart + 6, &low, 2));
    EXPECT_EQ(cost(), 2u + 1u);
    EXPECT_EQ(hart.pc(), kStart + 6);
    hart.reset(kStart);
    program({jal(0, 6), kTwoCompressedNops, kTwoCompressedNops});
    EXPECT_EQ(cost(), 2u);
}

TEST_F(HartTimingTest, LoadsAndStoresWaitForTheMemory) {
    hart.set_reg(5, kData);
    hart.set_reg(6, ScriptedBus::kBase);
    hart.set_reg(7, 0x8000'0000);
    program({lw(8, 5, 0), sw(8, 5, 0), lw(8, 6, 0), lw(8, 7, 0), lw(8, 7, 4), sw(8, 7, 0),
             lw(8, 7, 64)});
    const MemoryMap map;
    EXPECT_EQ(cost(), 1u + 1u);
    EXPECT_EQ(cost(), 1u + 1u);
    bus.wait_cycles = 5;
    EXPECT_EQ(cost(), 1u + 1u + map.bus_wait_cycles + 5u);
    EXPECT_EQ(cost(), 1u + 1u + map.line_fill_cycles);
    EXPECT_EQ(cost(), 1u + 1u) << "the line is there";
    EXPECT_EQ(cost(), 1u + 1u);
    EXPECT_EQ(cost(), 1u + 1u + map.line_fill_cycles) << "another line of the cache: no write-back";
}

TEST_F(HartTimingTest, CrossingAWordTakesASecondAccess) {
    hart.set_fault_policy(FaultPolicy::kTrap);
    hart.set_reg(5, kData);
    program({lw(8, 5, 1), store(1, 8, 5, 3), lh(8, 5, 1)});
    EXPECT_EQ(cost(), 2u + 1u);
    EXPECT_EQ(cost(), 2u + 1u);
    EXPECT_EQ(cost(), 2u) << "within a word";
}

TEST_F(HartTimingTest, EnablingInterruptsFlushesThePipeline) {
    const IbexTiming timing;
    program({csrrs(0, csr::kMie, 5), csrrs(0, csr::kMie, 0), csrrc(0, csr::kMie, 5),
             csrrw(0, csr::kMscratch, 5)});
    EXPECT_EQ(cost(), timing.csr + timing.csr_flush);
    EXPECT_EQ(cost(), timing.csr) << "no write";
    EXPECT_EQ(cost(), timing.csr) << "clearing bits";
    EXPECT_EQ(cost(), timing.csr);
}

TEST_F(HartTimingTest, EveryParameterCounts) {
    IbexTiming slow;
    slow.alu = 7;
    slow.load = 11;
    slow.branch_taken = 13;
    Hart other(memory, slow);
    program({addi(5, 0, 1), lw(6, 7, 0), beq(0, 0, 4)});
    other.set_reg(7, kData);
    std::uint64_t before = other.cycle();
    for (const std::uint64_t expected : {7u, 11u, 13u}) {
        EXPECT_EQ(other.run(1), Stop::kInstructions);
        EXPECT_EQ(other.cycle() - before, expected);
        before = other.cycle();
    }
}

TEST_F(HartTimingTest, McycleIsTheCycleOfItsReader) {
    program({nop(), csrrs(5, csr::kMcycle, 0), csrrs(6, csr::kMinstret, 0)});
    step();
    const std::uint64_t before = hart.cycle();
    EXPECT_EQ(step().rd_value, before);
    EXPECT_EQ(step().rd_value, 2u);
}

} // namespace
} // namespace cavern::cpu
