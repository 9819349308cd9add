// Firmware with a mistake beside the core of a whole drive: cpu.decides = lockstep ends the run at
// the request that shows it, with time and without.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "firmware/drive/fault.h"
#include "firmware/twin/decision_lockstep.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

struct Case {
    const char* name;
    drive_fault fault;
    std::vector<std::string> settings;
};

/// Where a run was stopped, and by what.
struct Stop {
    std::uint64_t requests = 0; ///< decided, the one that shows the mistake among them
    std::string message;        ///< empty: it was not
};

SsdConfig config_of(const Case& each) {
    std::vector<std::string> settings = each.settings;
    settings.emplace_back("cpu.decides=lockstep");
    return small_drive(settings);
}

std::vector<HostRequest> requests_of(const SsdConfig& config) {
    Mix mix;
    mix.requests = 3000;
    return random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
}

Stop play_untimed(const Case& each) {
    const SsdConfig config = config_of(each);
    UntimedDrive drive(config, build_core(config, nullptr));
    ListSource source(requests_of(config));
    try {
        drive.run(source, 0, nullptr);
    } catch (const ModelError& error) {
        return {drive.completed() + 1, error.what()};
    }
    return {drive.completed(), ""};
}

class DriveRunBrokenTest : public SystemcTest, public ::testing::WithParamInterface<Case> {
  protected:
    ~DriveRunBrokenTest() override { drive_mistake = kDriveSound; }
};

TEST_P(DriveRunBrokenTest, IsStoppedWithTheRequestNamed) {
    drive_mistake = kDriveSound;
    const Stop sound = play_untimed(GetParam());
    EXPECT_EQ(sound.message, "");
    EXPECT_EQ(sound.requests, 3000u);
    drive_mistake = GetParam().fault;
    const Stop stop = play_untimed(GetParam());
    const std::string named = "differ: request " + std::to_string(stop.requests - 1) + ", ";
    EXPECT_NE(stop.message.find(named), std::string::npos) << stop.message;
    EXPECT_NE(stop.message.find("the core decides {"), std::string::npos) << stop.message;

    // In time the same request shows it: the host keeps one outstanding.
    Case each = GetParam();
    each.settings.emplace_back("workload.depth=1");
    const SsdConfig config = config_of(each);
    auto bench = std::make_unique<DriveBench>("bench", config, requests_of(config));
    const std::string error = run_to_error();
    EXPECT_NE(error.find(named), std::string::npos) << error;
    EXPECT_NE(error.find("the firmware {"), std::string::npos) << error;
    (void)bench.release(); // it has stopped midway, and will not be tidied up
}

INSTANTIATE_TEST_SUITE_P(
    , DriveRunBrokenTest,
    ::testing::Values(
        Case{"LruPointerNotMoved", kDriveLruPointerNotMoved, {}},
        Case{"LruPointerOfABlockNotMoved", kDriveLruPointerNotMoved, {"buffer.policy=lru-block"}},
        Case{"WatermarkOffByOne", kDriveWatermarkOffByOne, {"ftl.gc_low=2", "ftl.gc_high=4"}},
        Case{"WatermarkOffByOneInSteps", kDriveWatermarkOffByOne, {"ftl.gc_pace=paced"}},
        Case{"WrongDie", kDriveWrongDie, {"alloc.scheme=block-round-robin"}}),
    [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace cavern::testing
