// The firmware that a configuration asks for decides as the core that it describes.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "drive/core_builder.h"
#include "drive/firmware_parts.h"
#include "firmware/firmware_core.h"
#include "tests/drive/drive_bench.h"
#include "tests/firmware/lockstep_sink.h"

namespace cavern::testing {
namespace {

using Settings = std::vector<std::string>;

class DriveFirmwareTest : public ::testing::TestWithParam<Settings> {};

TEST_P(DriveFirmwareTest, DecidesAsTheCoreOfTheConfiguration) {
    const SsdConfig config = small_drive(GetParam());
    const FirmwareParams params = firmware_params(config);
    ASSERT_EQ(firmware_why_not(params).value_or(""), "");
    const auto core = build_core(config, nullptr);
    FirmwareCore firmware(params);
    DecisionLockstep lockstep(*core, firmware);
    const Geometry geometry = drive_geometry(config);
    NandArray array(geometry, true);
    precondition(*core, array, precondition_of(config), config.seed,
                 [&](const Lpn* lpns, std::size_t count, const FlashOpList& ops) {
                     lockstep.check_fill(lpns, count, ops);
                 });
    LockstepSink sink(lockstep, array);
    CommandFront<> front(*core, geometry, sink);
    Mix mix;
    mix.requests = 4000;
    mix.fua = 10;
    const std::uint64_t bytes = core->ftl().logical_pages() * geometry.page_bytes;
    std::uint64_t request = 0;
    for (const HostRequest& asked : random_requests(mix, bytes, geometry.page_bytes)) {
        ASSERT_NO_THROW(
            sink.play(front, request++, {asked.op, asked.fua, asked.offset, asked.bytes}));
    }
    EXPECT_GT(lockstep.calls(), request);
    EXPECT_GT(core->ftl().counters().gc_runs, 10u);
}

INSTANTIATE_TEST_SUITE_P(
    , DriveFirmwareTest,
    ::testing::Values(
        Settings{},
        Settings{"buffer.policy=lru-block", "buffer.eviction=cave",
                 "alloc.scheme=block-round-robin"},
        Settings{"buffer.eviction=cave", "buffer.cave.victims=3", "buffer.read_touch=true"},
        Settings{"buffer.policy=none", "alloc.scheme=pdwc"},
        Settings{"buffer.policy=lru-block", "alloc.scheme=block-round-robin",
                 "alloc.block-round-robin.mode=sticky"},
        Settings{"alloc.scheme=stripe-page", "ftl.gc_pace=paced"},
        Settings{"ftl.gc_low=2", "ftl.gc_high=4", "precondition.fill=1",
                 "precondition.pattern=random", "precondition.overwrite=0.5"},
        Settings{"ftl.gc_pace=paced", "precondition.fill=0.7", "buffer.policy=lru-block"}));

TEST(DriveFirmwareParamsTest, WhatTheFirmwareHasNotIsTold) {
    const auto reason = [](const Settings& settings) {
        return firmware_why_not(firmware_params(small_drive(settings))).value_or("");
    };
    EXPECT_EQ(reason({"buffer.policy=fab"}),
              "the firmware has no buffer.policy = \"fab\"; lru-page, lru-block or none");
    EXPECT_EQ(reason({"buffer.cache_reads=true"}), "the firmware has no buffer.cache_reads; false");
    EXPECT_EQ(reason({"buffer.flush_keep=true"}), "the firmware has no buffer.flush_keep; false");
    EXPECT_EQ(reason({"buffer.ncq_aware=true"}), "the firmware has no buffer.ncq_aware; false");
    EXPECT_EQ(reason({"ftl.unit=512B"}), "the firmware has no ftl.unit in bytes; page");
    EXPECT_NE(reason({"ftl.scheme=bast", "ftl.log_blocks=4", "alloc.scheme=stripe-block"}), "");
    EXPECT_NE(reason({"ftl.gc_policy=fifo"}), "");
    EXPECT_NE(reason({"alloc.scheme=stripe-block"}), "");
}

} // namespace
} // namespace cavern::testing
