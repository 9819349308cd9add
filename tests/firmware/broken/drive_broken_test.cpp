// Firmware with a mistake, and whether the comparison with the core sees it. Linked with sources
// compiled with DRIVE_FAULTS.

#include <gtest/gtest.h>
#include <string>

#include "core/base/error.h"
#include "firmware/drive/fault.h"
#include "tests/firmware/twin.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

struct Stop {
    std::uint64_t request = 0; ///< in which the two differed
    std::string message;       ///< empty: they did not
};

Stop play(const CoreParts& parts, drive_fault fault) {
    drive_mistake = fault;
    Random random(14);
    Twin twin(parts);
    Stop stop;
    try {
        for (; stop.request < 5'000; ++stop.request) {
            play_random_request(twin, random, stop.request);
        }
    } catch (const ModelError& error) {
        stop.message = error.what();
    }
    return stop;
}

struct Case {
    const char* name;
    drive_fault fault;
    const char* policy;
    GcPace pace;
    const char* allocator;
};

class DriveFirmwareBrokenTest : public ::testing::TestWithParam<Case> {};

TEST_P(DriveFirmwareBrokenTest, IsCaughtWithTheRequestNamed) {
    CoreParts parts;
    parts.geometry = geometry_of(2, 2, 1, 16, 8);
    parts.ftl.overprovision = 0.5;
    parts.ftl.gc_low = 2;
    parts.ftl.gc_high = 4;
    parts.ftl.gc_pace = GetParam().pace;
    parts.policy = GetParam().policy;
    parts.allocator = GetParam().allocator;
    parts.eviction = "cave";
    parts.frames = 24;
    EXPECT_EQ(play(parts, kDriveSound).message, "");
    const Stop stop = play(parts, GetParam().fault);
    ASSERT_NE(stop.message, "");
    EXPECT_NE(stop.message.find("differ: request " + std::to_string(stop.request) + ", "),
              std::string::npos)
        << stop.message;
    EXPECT_NE(stop.message.find("the core decides {"), std::string::npos) << stop.message;
    EXPECT_NE(stop.message.find("the firmware {"), std::string::npos) << stop.message;
}

INSTANTIATE_TEST_SUITE_P(
    , DriveFirmwareBrokenTest,
    ::testing::Values(Case{"LruPointerNotMovedOfAPage", kDriveLruPointerNotMoved, "lru-page",
                           GcPace::kBurst, "stripe-page"},
                      Case{"LruPointerNotMovedOfABlock", kDriveLruPointerNotMoved, "lru-block",
                           GcPace::kBurst, "stripe-page"},
                      Case{"WatermarkOffByOneInABurst", kDriveWatermarkOffByOne, "lru-page",
                           GcPace::kBurst, "stripe-page"},
                      Case{"WatermarkOffByOneInSteps", kDriveWatermarkOffByOne, "lru-page",
                           GcPace::kPaced, "stripe-page"},
                      Case{"WrongDie", kDriveWrongDie, "lru-block", GcPace::kBurst,
                           "block-round-robin"}),
    [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace cavern::testing
