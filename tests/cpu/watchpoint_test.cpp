#include "tests/cpu/assemble.h"
#include "tests/cpu/hart_fixture.h"

namespace cavern::cpu {
namespace {

using namespace assemble;

constexpr std::uint32_t kWatched = 0x0020'0010;

/// Counts x6 up, stores it, loads it into x7, for ever; x5 is the address.
class WatchpointTest : public HartTest {
  protected:
    void SetUp() override {
        program({addi(6, 6, 1), sw(6, 5, 0), lw(7, 5, 0), jal(0, -12)});
        hart.set_reg(5, kWatched);
    }
    static constexpr std::uint32_t kStore = kStart + 4;
    static constexpr std::uint32_t kLoad = kStart + 8;
};

TEST_F(WatchpointTest, HoldsBeforeTheStoreAndGoesOn) {
    hart.add_watchpoint({kWatched, 4, false, true});
    for (std::uint32_t round = 1; round < 5; ++round) {
        const std::uint64_t done = hart.executed();
        ASSERT_EQ(hart.run(100), Stop::kWatchpoint);
        EXPECT_EQ(hart.pc(), kStore);
        EXPECT_EQ(word_at(kWatched), round - 1) << "nothing is stored yet";
        EXPECT_EQ(hart.executed() - done, round == 1 ? 1u : 4u);
        EXPECT_TRUE(hart.watch_hit().store);
        EXPECT_EQ(hart.watch_hit().address, kWatched);
    }
    hart.remove_watchpoint({kWatched, 4, true, false}); // another one
    EXPECT_EQ(hart.run(100), Stop::kWatchpoint);
    hart.remove_watchpoint({kWatched, 4, false, true});
    EXPECT_EQ(hart.run(100), Stop::kInstructions);
}

TEST_F(WatchpointTest, LoadsStoresAndBothAreTold) {
    hart.add_watchpoint({kWatched, 4, true, false});
    EXPECT_EQ(hart.run(100), Stop::kWatchpoint);
    EXPECT_EQ(hart.pc(), kLoad);
    EXPECT_FALSE(hart.watch_hit().store);
    EXPECT_EQ(hart.reg(7), 0u) << "nothing is loaded yet";
    hart.remove_watchpoint({kWatched, 4, true, false});
    hart.add_watchpoint({kWatched, 4, true, true});
    for (const std::uint32_t pc : {kStore, kLoad, kStore}) {
        EXPECT_EQ(hart.run(100), Stop::kWatchpoint);
        EXPECT_EQ(hart.pc(), pc);
    }
}

TEST_F(WatchpointTest, AStepIsHeldOnce) {
    hart.add_watchpoint({kWatched, 4, false, true});
    EXPECT_EQ(hart.step(), Stop::kInstructions);
    EXPECT_EQ(hart.step(), Stop::kWatchpoint);
    EXPECT_EQ(hart.step(), Stop::kInstructions);
    EXPECT_EQ(word_at(kWatched), 1u);
}

TEST_F(WatchpointTest, ABreakpointThereHoldsFirst) {
    hart.add_watchpoint({kWatched, 4, false, true});
    hart.add_breakpoint(kStore);
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(hart.run(100), Stop::kBreakpoint);
        EXPECT_EQ(hart.run(100), Stop::kWatchpoint);
        EXPECT_EQ(hart.pc(), kStore);
    }
}

// Watched are three bytes from kWatched on. Accesses of each size, from before them to behind.
TEST_F(WatchpointTest, AnyByteInCommonCounts) {
    hart.set_fault_policy(FaultPolicy::kTrap); // misaligned ones too
    for (const std::uint32_t size : {1u, 2u, 4u}) {
        program({store(size == 4 ? 2 : size - 1, 6, 5, 0)});
        for (std::int32_t offset = -5; offset < 6; ++offset) {
            const std::uint32_t first = kWatched + static_cast<std::uint32_t>(offset);
            hart.reset(kStart);
            hart.set_reg(5, first);
            hart.add_watchpoint({kWatched, 3, false, true});
            std::uint32_t common = 0; // the first byte in both
            for (std::uint32_t byte = first + size; byte-- != first;) {
                common = byte - kWatched < 3 ? byte : common;
            }
            EXPECT_EQ(hart.step(), common != 0 ? Stop::kWatchpoint : Stop::kInstructions)
                << size << " bytes at " << offset;
            if (common != 0) {
                EXPECT_EQ(hart.watch_hit().address, common);
            }
        }
    }
}

TEST_F(WatchpointTest, EveryMemoryAndDeviceIsWatched) {
    for (const std::uint32_t address :
         {kData, kStart + 0x100, 0x8000'0040u, ScriptedBus::kBase + 4}) {
        hart.reset(kStart);
        hart.set_reg(5, address);
        hart.add_watchpoint({address, 4, true, true});
        EXPECT_EQ(hart.run(100), Stop::kWatchpoint);
        EXPECT_TRUE(bus.accesses.empty()) << "a register is not touched";
        EXPECT_EQ(hart.run(100), Stop::kWatchpoint);
        EXPECT_EQ(hart.pc(), kLoad);
        hart.remove_watchpoint({address, 4, true, true});
        bus.accesses.clear();
    }
}

TEST_F(WatchpointTest, RunsThatAreNotHeldAreTheSame) {
    Hart watched{memory};
    watched.set_reg(5, kWatched);
    watched.add_watchpoint({kWatched + 4, 4, true, true});
    EXPECT_EQ(hart.run(1000), Stop::kInstructions);
    ASSERT_TRUE(memory.write(kWatched, "\0\0\0", 4));
    EXPECT_EQ(watched.run(1000), Stop::kInstructions);
    EXPECT_EQ(watched.cycle(), hart.cycle());
    EXPECT_EQ(watched.reg(7), hart.reg(7));
    // One that is held has the same cycles in the end, too.
    Hart held{memory};
    ASSERT_TRUE(memory.write(kWatched, "\0\0\0", 4));
    held.set_reg(5, kWatched);
    held.add_watchpoint({kWatched, 4, true, true});
    int stops = 0;
    while (held.executed() < 1000) {
        stops += held.run(1000 - held.executed()) == Stop::kWatchpoint ? 1 : 0;
    }
    EXPECT_EQ(stops, 500);
    EXPECT_EQ(held.cycle(), hart.cycle());
    EXPECT_EQ(held.reg(7), hart.reg(7));
}

// The interrupt comes between the breakpoint that held the hart and its instruction: the handler
// begins at the same count of instructions, and another breakpoint is there.
TEST_F(WatchpointTest, ABreakpointInAHandlerHoldsThoughTheInterruptedOneHasJustHeld) {
    write(kVectors + 4 * interrupt::kTimer, {jal(0, 0)});
    hart.add_breakpoint(kStore);
    hart.add_breakpoint(kVectors + 4 * interrupt::kTimer);
    EXPECT_EQ(hart.run(100), Stop::kBreakpoint);
    EXPECT_EQ(hart.pc(), kStore);
    hart.set_csr(csr::kMie, 1u << interrupt::kTimer);
    hart.set_csr(csr::kMstatus, 8);
    hart.set_interrupt(interrupt::kTimer, true);
    EXPECT_EQ(hart.run(100), Stop::kBreakpoint);
    EXPECT_EQ(hart.pc(), kVectors + 4 * interrupt::kTimer);
    EXPECT_EQ(hart.executed(), 1u) << "not the second time around";
}

} // namespace
} // namespace cavern::cpu
