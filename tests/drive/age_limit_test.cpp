#include "drive/age_limit.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

/// 4096 + 224 bytes at 5 ns and 7 cycles of 25 ns: 21.775 us a page.
SsdConfig drive() {
    SsdConfig config;
    config.nand.geometry.page_bytes = 4096;
    config.nand.geometry.spare_bytes = 224;
    config.nand.timing.bus_byte_fs = 5'000'000;
    config.nand.timing.command_cycle = 25 * kNs;
    config.nand.timing.program_cycles = 7;
    config.channel.arbiter_hz = 200'000'000;
    return config;
}

TEST(AgeLimitTest, IsCountedInPagesOnTheBus) {
    SsdConfig config = drive();
    config.channel.age_limit_pages = 1;
    EXPECT_EQ(age_limit_cycles(config), 4355u);
    config.channel.age_limit_pages = 32;
    EXPECT_EQ(age_limit_cycles(config), 32 * 4355u);
    config.channel.arbiter_hz = 3'000'000; // 333,333 ps: rounded up
    config.channel.age_limit_pages = 1;
    EXPECT_EQ(age_limit_cycles(config), 66u);
}

TEST(AgeLimitTest, CyclesThatAreGivenCome) {
    SsdConfig config = drive();
    config.channel.age_limit = 4096;
    EXPECT_EQ(age_limit_cycles(config), 4096u);
}

// With every line busy a request of the lowest class waits for all others in round robin: class
// priority is on only if that is no reason to promote it.
TEST(AgeLimitTest, LeavesClassPriorityOnByDefault) {
    const SsdConfig config = drive();
    constexpr std::uint64_t kMostWays = 16;
    EXPECT_GE(age_limit_cycles(config), kMostWays * 4355);
}

TEST(AgeLimitTest, StaysWhereAgesCanBeToldApart) {
    SsdConfig config = drive();
    config.channel.age_limit_pages = 1'000'000;
    config.channel.arbiter_hz = 100'000'000'000;
    EXPECT_EQ(age_limit_cycles(config), 0x7FFF'FFFFu);
}

} // namespace
} // namespace cavern
