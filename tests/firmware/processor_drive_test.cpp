// The drive's firmware on the processor.

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cpu/machine.h"
#include "cpu/program.h"
#include "firmware/drive/self_test.h"

namespace cavern::testing {
namespace {

constexpr std::uint64_t kPlenty = 2'000'000'000;
constexpr std::uint32_t kCalls = 4000; // as image/self_test.c
constexpr std::uint32_t kSeed = 2020;

/// What the image prints, if host and processor decide the same.
std::string on_host(std::uint32_t seed) {
    std::vector<std::uint64_t> arena(std::size_t{1} << 17);
    std::string text;
    for (std::uint32_t i = 0; i < self_test_drives(); ++i) {
        const self_test_result result =
            self_test_run(i, kCalls, seed + i, arena.data(), arena.size() * 8);
        EXPECT_EQ(result.problem, nullptr);
        EXPECT_GT(result.erases, 20);
        char line[100];
        std::snprintf(line, sizeof line,
                      "drive %u: %u calls, %u operations, %u erases, digest %08x\n", i,
                      result.calls, result.operations, result.erases, result.digest);
        text += line;
    }
    return text;
}

TEST(DriveOnTheProcessorTest, DecidesAsOnTheHost) {
    const cpu::Program image =
        cpu::Program::read(std::string(CAVERN_FIRMWARE_IMAGES) + "/drive_self_test.elf", {});
    std::string log;
    cpu::Machine machine({}, {}, cpu::FaultPolicy::kStop,
                         [&log](char byte, std::uint64_t) { log += byte; });
    machine.load(image);
    const cpu::Outcome outcome = machine.run(kPlenty);
    EXPECT_EQ(outcome.end, cpu::End::kExit) << image.describe(machine.hart().pc());
    EXPECT_EQ(outcome.status, 0u);
    EXPECT_EQ(log, on_host(kSeed));
    EXPECT_NE(log, on_host(kSeed + 1)); // the control
}

TEST(DriveSelfTest, EachDriveComesToAnotherDigest) {
    std::vector<std::uint64_t> arena(std::size_t{1} << 17);
    std::vector<std::uint32_t> digests;
    for (std::uint32_t i = 0; i < self_test_drives(); ++i) {
        digests.push_back(self_test_run(i, 100, 1, arena.data(), arena.size() * 8).digest);
    }
    std::sort(digests.begin(), digests.end());
    EXPECT_EQ(std::unique(digests.begin(), digests.end()), digests.end());
}

} // namespace
} // namespace cavern::testing
