// The firmware that a configuration asks for decides as the core that it describes.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/drive/decision_call.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"

namespace cavern::testing {
namespace {

using Settings = std::vector<std::string>;

const ComparedDecisions& compared_in(const DriveCore& core) {
    return *core.listener()->compared();
}

class DriveFirmwareTest : public ::testing::TestWithParam<Settings> {};

TEST_P(DriveFirmwareTest, DecidesAsTheCoreOfTheConfiguration) {
    Settings settings = GetParam();
    settings.emplace_back("cpu.decides=lockstep");
    const SsdConfig config = small_drive(settings);
    Mix mix;
    mix.requests = 4000;
    mix.fua = 10;
    const std::vector<HostRequest> requests =
        random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    UntimedDrive untimed(config, build_core(config, nullptr));
    const std::uint64_t filled = compared_in(untimed.core()).calls;
    EXPECT_EQ(filled != 0, config.precondition.fill != 0);
    ListSource source(requests);
    untimed.run(source, 0, nullptr);
    (void)untimed.check_end_of_run();
    EXPECT_GT(compared_in(untimed.core()).calls, filled + requests.size());
    EXPECT_GT(untimed.core().ftl().counters().gc_runs, 10u);

    DriveBench bench("bench", config, requests);
    sc_core::sc_start();
    bench.expect_sound();
    EXPECT_EQ(bench.answered().size(), requests.size());
    EXPECT_GT(compared_in(bench.ssd().core()).calls, filled + requests.size());
    EXPECT_GT(compared_in(bench.ssd().core()).operations, 0u);
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
        Settings all = settings;
        all.emplace_back("cpu.decides=firmware");
        return controller_why_not(small_drive(all)).value_or(Refusal{}).text();
    };
    EXPECT_EQ(reason({"buffer.policy=fab"}),
              "the firmware has no buffer.policy = \"fab\"; lru-page, lru-block or none");
    EXPECT_EQ(reason({"buffer.cache_reads=true"}), "the firmware has no buffer.cache_reads; false");
    EXPECT_EQ(reason({"buffer.flush_keep=true"}), "the firmware has no buffer.flush_keep; false");
    EXPECT_EQ(reason({"buffer.ncq_aware=true"}), "the firmware has no buffer.ncq_aware; false");
    for (const char* setting : {"ftl.unit=512B", "data.store=fingerprint"}) {
        EXPECT_EQ(reason({setting}),
                  "the firmware has no ftl.unit in bytes and no data.store; page and none");
    }
    EXPECT_NE(reason({"ftl.scheme=bast", "ftl.log_blocks=4", "alloc.scheme=stripe-block"}), "");
    EXPECT_NE(reason({"ftl.gc_policy=fifo"}), "");
    EXPECT_NE(reason({"alloc.scheme=stripe-block"}), "");
}

} // namespace
} // namespace cavern::testing
