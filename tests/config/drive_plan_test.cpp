#include "config/drive_plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/config_show.h"
#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

using DrivePlanTest = ConfigFixture;

TEST_F(DrivePlanTest, SharesTheSdramOutBetweenFramesReadsCopiesAndTheMap) {
    // 2 x 1 dies of one plane; pages of 2 KiB. 1 MiB of SDRAM has 512 of them.
    const std::vector<std::string> drive{"nand.channels=2",
                                         "nand.ways=1",
                                         "nand.dies=1",
                                         "nand.planes=1",
                                         "dram.size=1MiB",
                                         "buffer.size=256KiB",
                                         "nand.blocks_per_plane=64",
                                         "buffer.policy=lru-page"};
    const DrivePlan plan = load("", drive).config;
    EXPECT_EQ(plan.frames, 128u);
    EXPECT_EQ(plan.copy_slots_per_die, 4u); // four a plane
    EXPECT_EQ(plan.staging_slots, 8u);      // four a die
    EXPECT_EQ(plan.map_bytes, 0u);
    // 64 x 64 pages a die of four bytes an entry.
    std::vector<std::string> with = drive;
    with.emplace_back("dram.map_traffic=true");
    EXPECT_EQ(load("", with).config.map_bytes, 2 * 64 * 64 * 4u);
    // What is left is short: 512 - 506 frames are 6 pages, of which half go to copies.
    std::vector<std::string> tight = drive;
    tight.emplace_back("buffer.size=1012KiB");
    const DrivePlan small = load("", tight).config;
    EXPECT_EQ(small.frames, 506u);
    EXPECT_EQ(small.copy_slots_per_die, 1u); // 6 / 2 / 2 dies
    EXPECT_EQ(small.staging_slots, 6 - 2u);
    EXPECT_EQ(small.copy_slots(), 2u);
}

TEST_F(DrivePlanTest, CountsInMappingUnits) {
    const DrivePlan plan = load("", {"ftl.unit=512B", "nand.column_change=true"}).config;
    EXPECT_EQ(plan.geometry.units_per_page, 4u);
    EXPECT_EQ(plan.geometry.pages_per_block, 4 * plan.nand.geometry.pages_per_block);
    EXPECT_EQ(plan.frames, plan.buffer.bytes / 512);
    EXPECT_EQ(plan.copy_slots_per_die % 4, 0u); // whole NAND pages
    EXPECT_EQ(plan.read_grain, 512u);
    EXPECT_TRUE(plan.keeps_sectors);
}

// What is refused is worked out before it is refused: nothing of it may fail.
TEST_F(DrivePlanTest, CanBeMadeOfADriveThatCannotBe) {
    SsdConfig config = load("").config;
    config.ftl.unit_bytes = 2 * config.nand.geometry.page_bytes;
    EXPECT_EQ(DrivePlan(config).geometry.units_per_page, 1u);
    config.ftl.unit_bytes = 0;
    config.dram.bytes = 1;
    config.buffer.bytes = 0;
    EXPECT_EQ(DrivePlan(config).frames, 0u);
    config.nand.geometry.blocks_per_plane = 1'000'000'000;
    EXPECT_NE(DrivePlan(config).geometry.pages(), 0u);
    config.ftl.adaptive = true; // with a map of one size
    EXPECT_EQ(DrivePlan(config).frames, 0u);
}

TEST_F(DrivePlanTest, IsShownInWordsAndAsJson) {
    const DrivePlan plan = load("", {"ftl.unit=512B"}).config;
    const std::string text = derived_text(plan);
    const nlohmann::ordered_json json = derived_json(plan);
    EXPECT_EQ(json["frames"], plan.frames);
    EXPECT_EQ(json["page_size"], "512B");
    EXPECT_EQ(json["keeps_sectors"], true);
    EXPECT_EQ(json["host_pages"], plan.host_pages);
    for (const auto& [name, value] : json.items()) {
        EXPECT_NE(("\n" + text).find("\n" + name + " "), std::string::npos) << name;
    }
    EXPECT_EQ(json.size(), static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    EXPECT_TRUE(json.contains("drain_energy"));
    const DrivePlan unknown = load("", {"nand.part=tlc-16k"}).config; // a part without currents
    EXPECT_FALSE(derived_json(unknown).contains("drain_energy"));
}

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
    EXPECT_EQ(DrivePlan(config).age_limit_cycles, 4355u);
    config.channel.age_limit_pages = 32;
    EXPECT_EQ(DrivePlan(config).age_limit_cycles, 32 * 4355u);
    config.channel.arbiter_hz = 3'000'000; // 333,333 ps: rounded up
    config.channel.age_limit_pages = 1;
    EXPECT_EQ(DrivePlan(config).age_limit_cycles, 66u);
}

TEST(AgeLimitTest, CyclesThatAreGivenCome) {
    SsdConfig config = drive();
    config.channel.age_limit = 4096;
    EXPECT_EQ(DrivePlan(config).age_limit_cycles, 4096u);
}

// With every line busy a request of the lowest class waits for all others in round robin: class
// priority is on only if that is no reason to promote it.
TEST(AgeLimitTest, LeavesClassPriorityOnByDefault) {
    const SsdConfig config = drive();
    constexpr std::uint64_t kMostWays = 16;
    EXPECT_GE(DrivePlan(config).age_limit_cycles, kMostWays * 4355);
}

TEST(AgeLimitTest, StaysWhereAgesCanBeToldApart) {
    SsdConfig config = drive();
    config.channel.age_limit_pages = 1'000'000;
    config.channel.arbiter_hz = 100'000'000'000;
    EXPECT_EQ(DrivePlan(config).age_limit_cycles, 0x7FFF'FFFFu);
}

} // namespace
} // namespace cavern
