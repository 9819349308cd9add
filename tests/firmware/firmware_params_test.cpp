// What the firmware refuses, and why.

#include "firmware/twin/firmware_params.h"

#include <functional>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ftl/victim_policy_table.h"
#include "firmware/drive/drive.h"
#include "firmware/twin/firmware_core.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

FirmwareParams usual() {
    FirmwareParams params;
    params.geometry = geometry_of(2, 2, 1, 8, 4);
    params.ftl.overprovision = 0.5;
    params.frames = 8;
    return params;
}

struct Refused {
    std::function<void(FirmwareParams&)> change;
    const char* reason;
};

TEST(FirmwareParamsTest, WhatTheFirmwareHasNotIsRefusedWithAReason) {
    EXPECT_FALSE(firmware_why_not(usual()));
    const std::vector<Refused> cases = {
        {[](FirmwareParams& p) { p.policy = "arc"; },
         "the firmware has no buffer.policy = \"arc\"; lru-page, lru-block or none"},
        {[](FirmwareParams& p) { p.eviction = {"idle"}; }, "buffer.eviction"},
        {[](FirmwareParams& p) {
             p.eviction = {"single", "idle"};
         },
         "buffer.eviction"},
        {[](FirmwareParams& p) { p.cache_reads = true; }, "buffer.cache_reads; false"},
        {[](FirmwareParams& p) { p.flush_keep = true; }, "buffer.flush_keep; false"},
        {[](FirmwareParams& p) { p.ncq_aware = true; }, "buffer.ncq_aware; false"},
        {[](FirmwareParams& p) { p.scheme = "dftl"; }, "ftl.scheme = \"dftl\"; page"},
        {[](FirmwareParams& p) { p.ftl.gc_policy = find_victim_policy("d-choices"); },
         "ftl.gc_policy"},
        {[](FirmwareParams& p) { p.ftl.gc_in_pages = true; }, "ftl.gc_unit = \"pages\"; blocks"},
        {[](FirmwareParams& p) { p.ftl.gc_placement = GcPlacement::kDie; }, "ftl.gc_placement"},
        {[](FirmwareParams& p) { p.ftl.gc_shared_frontier = true; }, "ftl.gc_shared_frontier"},
        {[](FirmwareParams& p) { p.ftl.hot_cold = true; }, "ftl.hot_cold"},
        {[](FirmwareParams& p) { p.ftl.wear_leveling = WearLeveling::kDynamic; },
         "ftl.wear_leveling; none"},
        {[](FirmwareParams& p) { p.ftl.faults.factory_bad = 0.1; }, "bad blocks"},
        {[](FirmwareParams& p) { p.adaptive = true; }, "memory divided"},
        {[](FirmwareParams& p) { p.keeps_sectors = true; }, "ftl.unit in bytes"},
        {[](FirmwareParams& p) { p.geometry = p.geometry.in_units(512); }, "ftl.unit in bytes"},
        {[](FirmwareParams& p) { p.geometry.blocks_per_plane = 1u << 29; }, "2^32 - 2 pages"},
        {[](FirmwareParams& p) { p.allocator = "least-loaded"; },
         "alloc.scheme = \"least-loaded\"; block-round-robin, stripe-page or an order"},
        {[](FirmwareParams& p) { p.frames = 0; }, "a buffer without frames"},
        {[](FirmwareParams& p) { p.ftl.gc_high = 1; }, "watermarks"},
    };
    for (const Refused& each : cases) {
        FirmwareParams params = usual();
        each.change(params);
        const auto reason = firmware_why_not(params);
        ASSERT_TRUE(reason) << each.reason;
        EXPECT_NE(reason->text().find(each.reason), std::string::npos) << reason->text();
        EXPECT_NE(reason->right, "");
        EXPECT_THROW((void)firmware_config(params), ModelError);
        EXPECT_THROW(FirmwareCore{params}, ModelError);
    }
}

TEST(FirmwareParamsTest, TheWordsOfAConfigurationBecomeTheFirmwares) {
    FirmwareParams params = usual();
    params.eviction = {"cave"};
    params.allocator = "pwdc";
    params.ftl.gc_pace = GcPace::kPaced;
    drive_config config = firmware_config(params);
    EXPECT_EQ(config.units_on_full, 4u);
    EXPECT_EQ(config.logical_pages, 64u);
    EXPECT_EQ(config.allocator, kDrivePageOrder);
    EXPECT_EQ(std::string(config.order, 4), "pwdc");
    EXPECT_EQ(config.gc_pace, kDrivePaced);
    params.cave_victims = 3;
    EXPECT_EQ(firmware_config(params).units_on_full, 3u);
    params.policy = "none";
    EXPECT_EQ(firmware_config(params).frames, 0u);
}

/// What drive_refuses says of a drive with one thing changed.
std::string refused(const std::function<void(drive_config&)>& change) {
    drive_config config = firmware_config(usual());
    change(config);
    const char* problem = drive_refuses(&config);
    return problem == nullptr ? "" : problem;
}

TEST(DriveConfigTest, WhatCannotWorkIsRefused) {
    EXPECT_EQ(refused([](drive_config&) {}), "");
    EXPECT_NE(refused([](drive_config& c) { c.channels = 0; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.channels = c.ways = 1u << 16; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.pages_per_block = 1u << 16; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.logical_pages = 0; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.logical_pages = 129; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.policy = 3; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.policy = kDriveNoBuffer; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.units_on_full = 0; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.allocator = 2; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.round_robin = 3; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.gc_low = 0; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.gc_high = 8; }), "");
    EXPECT_NE(refused([](drive_config& c) { c.gc_pace = 2; }), "");
    const auto with_order = [](const char* order) {
        return refused([order](drive_config& c) {
            c.allocator = kDrivePageOrder;
            std::copy(order, order + 4, c.order);
        });
    };
    EXPECT_EQ(with_order("dpwc"), "");
    EXPECT_NE(with_order("dpww"), "");
}

void ignore(void*, const drive_operation*) {}

TEST(DriveConfigTest, TheMemoryAskedForIsEnoughAndNoLessIs) {
    const drive_config config = firmware_config(usual());
    const std::uint64_t bytes = drive_bytes(&config);
    std::vector<std::uint64_t> arena(bytes / 8 + 1, 0x5555'5555'5555'5555u);
    const char* problem = nullptr;
    EXPECT_EQ(drive_init(&config, arena.data(), bytes - 1, {ignore, nullptr, 0}, &problem),
              nullptr);
    EXPECT_EQ(std::string(problem), "a drive whose tables are larger than the memory given");
    drive* made = drive_init(&config, arena.data(), bytes, {ignore, nullptr, 0}, &problem);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(problem, nullptr);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(drive_write(made, i * 7 % config.logical_pages).error, nullptr);
    }
    EXPECT_EQ(arena.back(), 0x5555'5555'5555'5555u); // and it has kept within
}

// The larger the drive, the more: what a byte of flash costs in tables.
TEST(DriveConfigTest, TablesTakeFourBytesForALogicalAndFourForAPhysicalPage) {
    FirmwareParams params = usual();
    params.allocator = "stripe-page"; // which keeps nothing by logical block
    drive_config config = firmware_config(params);
    const std::uint64_t before = drive_bytes(&config);
    config.pages_per_block += 100;
    config.logical_pages += 1000;
    EXPECT_EQ(drive_bytes(&config) - before, 100u * drive_blocks(&config) * 4 + 1000 * 4);
}

TEST(DriveConfigTest, WhatLiesBeyondTheDriveIsRefused) {
    FirmwareCore core(usual());
    const std::uint64_t pages = core.config().logical_pages;
    EXPECT_NO_THROW((void)core.trim(Lpn{0}, pages));
    EXPECT_THROW((void)core.write(Lpn{pages}), ModelError);
    EXPECT_THROW((void)core.write_through(Lpn{pages}), ModelError);
    EXPECT_THROW((void)core.read(Lpn{pages}), ModelError);
    EXPECT_THROW((void)core.trim(Lpn{1}, pages), ModelError);
    EXPECT_THROW((void)core.maintain(PlaneId{4}, 1), ModelError);
    EXPECT_NO_THROW((void)core.write(Lpn{pages - 1}));
}

} // namespace
} // namespace cavern::testing
