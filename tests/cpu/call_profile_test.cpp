#include "cpu/call_profile.h"

#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "cpu/instruction_trace.h"
#include "cpu/machine.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

struct Profiled {
    std::map<std::string, std::uint64_t> cycles; ///< by stack
    std::uint64_t last_cycle = 0;
    std::uint64_t total = 0;
};

Profiled profiled(const std::string& image, bool forget_returns = false) {
    const Program program = Program::read(firmware_image(image), {});
    Machine machine;
    machine.load(program);
    CallProfile profile(program);
    Profiled result;
    machine.run(10'000'000, [&](Retired retired) {
        if (forget_returns && retired.instruction == 0x8082) {
            retired.instruction = 0x0001; // C.NOP
        }
        profile.add(retired);
        result.last_cycle = retired.cycle;
    });
    std::istringstream text(profile.folded());
    for (std::string line; std::getline(text, line);) {
        const std::size_t space = line.rfind(' ');
        const std::uint64_t cycles = std::stoull(line.substr(space + 1));
        EXPECT_TRUE(result.cycles.emplace(line.substr(0, space), cycles).second);
        result.total += cycles;
    }
    return result;
}

TEST(CallProfileTest, GivesEveryCycleToAStack) {
    const Profiled hello = profiled("hello");
    EXPECT_EQ(hello.total, hello.last_cycle);
    EXPECT_GT(hello.cycles.at("start;main"), 1000u) << "the loop over 100 numbers";
    EXPECT_GT(hello.cycles.at("start;main;printf;format_to;uart_send"), 0u);
    EXPECT_GT(hello.cycles.at("start;exit_run"), 0u);
}

TEST(CallProfileTest, StacksAreNoDeeperThanTheProgram) {
    const auto deepest = [](const Profiled& profile) {
        std::ptrdiff_t depth = 0;
        for (const auto& [stack, cycles] : profile.cycles) {
            depth = std::max(depth, std::count(stack.begin(), stack.end(), ';'));
        }
        return depth;
    };
    EXPECT_LT(deepest(profiled("hello")), 8);
    EXPECT_GT(deepest(profiled("hello", true)), 20) << "returns are what ends a call";
}

TEST(CallProfileTest, AnInterruptIsACallFromWhereItStruck) {
    const Profiled timer = profiled("test_timer");
    EXPECT_EQ(timer.total, timer.last_cycle);
    EXPECT_GT(timer.cycles.at("start;main;trap_entry;dispatch_trap;handle_timer_interrupt"), 0u);
    EXPECT_EQ(timer.cycles.count("start;trap_entry"), 0u) << "it came back to main()";
}

TEST(InstructionTraceTest, SaysWhatAnInstructionDid) {
    Retired load;
    load.cycle = 142;
    load.pc = 0x0010'0196;
    load.instruction = 0x4398;
    load.rd = 14;
    load.rd_value = 7;
    load.memory_address = 0x0020'0010;
    load.read_mask = 0xF;
    load.read_data = 7;
    EXPECT_EQ(trace_line(load, nullptr), "       142 00100196 4398     lw a4,0(a5)                "
                                         "a4=00000007 [00200010]->00000007");
    Retired store;
    store.cycle = 3;
    store.pc = 0x0010'0080;
    store.instruction = 0x0065'8023;
    store.memory_address = 0x0020'0001;
    store.write_mask = 1;
    store.write_data = 0xAB;
    store.trap = true;
    EXPECT_EQ(trace_line(store, nullptr), "         3 00100080 00658023 sb t1,0(a1)                "
                                          "[00200001]<-ab trap");
    const Program program = Program::read(firmware_image("hello"), {});
    store.pc = *program.address_of("main") + 4;
    const std::string line = trace_line(store, &program);
    EXPECT_EQ(line.substr(line.size() - 8), "main+0x4");
}

// A processor that sleeps: what it has slept is nobody's, and what came before is the last one's.
TEST(CallProfileTest, WhatIsSkippedIsNobodys) {
    const Program program = Program::read(firmware_image("hello"), {});
    CallProfile profile(program);
    Retired retired;
    retired.pc = *program.address_of("main");
    retired.next_pc = retired.pc + 4;
    retired.instruction = 0x13; // NOP
    retired.cycle = 10;
    profile.add(retired);
    profile.settle(12);
    EXPECT_EQ(profile.folded(), "main 12\n");
    profile.skip(1000);
    retired.cycle = 1003;
    profile.add(retired);
    EXPECT_EQ(profile.folded(), "main 15\n");
    profile.forget();
    EXPECT_EQ(profile.folded(), "");
    profile.settle(1004);
    EXPECT_EQ(profile.folded(), "main 1\n");
}

} // namespace
} // namespace cavern::cpu
