// Functions as slices of time: nested, and as long as the profile says.

#include "cpu/function_slices.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/machine.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

struct Sliced {
    std::vector<FunctionSlice> slices;
    std::string folded;
    std::uint64_t last_cycle = 0;
};

Sliced sliced(const std::string& image) {
    const Program program = Program::read(firmware_image(image), {});
    Machine machine;
    machine.load(program);
    CallProfile profile(program);
    FunctionSlices functions(program);
    functions.begin(0);
    Sliced result;
    machine.run(10'000'000, [&](const Retired& retired) {
        profile.add(retired);
        functions.add(retired);
        result.last_cycle = retired.cycle;
    });
    result.slices = functions.end(result.last_cycle);
    result.folded = profile.folded();
    return result;
}

/// As folded stacks, from the slices alone; empty if they do not nest.
std::string folded(const std::vector<FunctionSlice>& slices) {
    std::map<std::string, std::int64_t> own;
    std::vector<std::pair<const FunctionSlice*, std::string>> stack;
    for (const FunctionSlice& slice : slices) {
        while (stack.size() > slice.depth) {
            stack.pop_back();
        }
        const auto cycles = static_cast<std::int64_t>(slice.end - slice.begin);
        std::string path = slice.function;
        if (slice.depth != 0) {
            if (stack.size() != slice.depth || stack.back().first->end < slice.end) {
                return "";
            }
            own[stack.back().second] -= cycles;
            path = stack.back().second + ';' + path;
        }
        own[path] += cycles;
        stack.emplace_back(&slice, path);
    }
    std::string text;
    for (const auto& [path, cycles] : own) {
        if (cycles != 0) {
            text += path + ' ' + std::to_string(cycles) + '\n';
        }
    }
    return text;
}

class FunctionSlicesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(FunctionSlicesTest, NestAndAddUpToTheProfile) {
    Sliced run = sliced(GetParam());
    EXPECT_GT(run.slices.size(), 20u);
    EXPECT_EQ(folded(run.slices), run.folded);
    std::uint64_t outermost = 0;
    for (const FunctionSlice& slice : run.slices) {
        outermost += slice.depth == 0 ? slice.end - slice.begin : 0;
    }
    EXPECT_EQ(outermost, run.last_cycle);
    // The controls: a slice that is a cycle longer, and one that is missing.
    FunctionSlice& last = run.slices.back();
    ++last.end;
    EXPECT_NE(folded(run.slices), run.folded);
    run.slices.pop_back();
    EXPECT_NE(folded(run.slices), run.folded);
}

INSTANTIATE_TEST_SUITE_P(, FunctionSlicesTest,
                         ::testing::Values("hello", "test_timer", "test_kernels"));

Retired step(std::uint32_t pc, std::uint64_t cycle) {
    Retired retired;
    retired.pc = pc;
    retired.next_pc = pc + 4;
    retired.instruction = 0x13; // NOP
    retired.cycle = cycle;
    return retired;
}

// What is slept between two stretches belongs to no slice.
TEST(FunctionSlicesStretchTest, EachStretchHasItsOwn) {
    const Program program = Program::read(firmware_image("hello"), {});
    FunctionSlices functions(program);
    const std::uint32_t main = program.address_of("main").value();
    functions.begin(100);
    functions.add(step(main, 103));
    ASSERT_EQ(functions.end(105).size(), 1u);
    functions.begin(1000);
    Retired call = step(main, 1002);
    call.instruction = 0x000000ef; // JAL ra
    call.next_pc = program.address_of("printf").value();
    functions.add(call);
    functions.add(step(call.next_pc, 1010));
    const std::vector<FunctionSlice>& slices = functions.end(1011);
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(slices[0].function, "main");
    EXPECT_EQ(slices[0].begin, 1000u);
    EXPECT_EQ(slices[0].end, 1011u);
    EXPECT_EQ(slices[1].function, "printf");
    EXPECT_EQ(slices[1].depth, 1u);
    EXPECT_EQ(slices[1].begin, 1002u);
    EXPECT_EQ(slices[1].end, 1011u);
}

} // namespace
} // namespace cavern::cpu
