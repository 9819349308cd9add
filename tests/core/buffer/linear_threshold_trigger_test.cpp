#include "core/buffer/linear_threshold_trigger.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/buffer/trigger_fixture.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::CoreParts;
using testing::geometry_of;
using testing::lin_1;
using testing::make_core;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

TEST(LinearThresholdRateTest, VictimsUnderWayRiseWithTheFillLevel) {
    const LinearThresholdTrigger rate(0.6, 0.9, 8);
    std::vector<std::uint32_t> victims;
    for (std::uint32_t used = 12; used <= 18; ++used) {
        victims.push_back(rate.victims(used, 20));
    }
    EXPECT_EQ(victims, (std::vector<std::uint32_t>{0, 2, 3, 4, 6, 7, 8}));
    EXPECT_EQ(rate.victims(20, 20), 8u);
    EXPECT_EQ(rate.victims(0, 20), 0u);
}

TEST(LinearThresholdRateTest, PagesBeingProgrammedCountAsFullFrames) {
    LinearThresholdTrigger rate(0.6, 0.9, 8);
    BufferLoad load;
    load.capacity = 20;
    load.resident = 11;
    load.in_flight = 2; // 13 frames: two victims
    load.in_flight_units = 2;
    EXPECT_FALSE(rate.wants_more(load));
    load.in_flight_units = 1; // of two pages
    EXPECT_TRUE(rate.wants_more(load));
    load.in_flight = 1;
    EXPECT_FALSE(rate.wants_more(load)); // 12 frames: none
}

TEST(LinearThresholdRateTest, SharesThatMakeNoThresholdAreRefused) {
    EXPECT_THROW(LinearThresholdTrigger(0.5, 0.5, 1), ModelError);
    EXPECT_THROW(LinearThresholdTrigger(-0.1, 0.5, 1), ModelError);
    EXPECT_THROW(LinearThresholdTrigger(0.1, 0.5, 0), ModelError);
}

/// Planes of dies, and what one of them programs at a time, twice over.
TEST(LinearThresholdRateTest, ByDefaultAllDiesHaveWork) {
    Geometry geometry = geometry_of(8, 2, 4, 16, 4);
    geometry.page_bytes = 16384;
    geometry = geometry.in_units(4096);
    const LinearThresholdTrigger rate({geometry}, LinearThresholdParams{});
    EXPECT_EQ(rate.victims(20, 20), 2u * 8 * 2 * 4 * 4);
    EXPECT_EQ(rate.throttle(), "");
    const LinearThresholdTrigger slow({geometry}, LinearThresholdParams{0.8, 0.9, 255});
    EXPECT_EQ(slow.throttle(), "buffer.linear-threshold.max = 255 lets fewer pages leave than the "
                               "dies program at a time (256)");
    EXPECT_EQ(LinearThresholdTrigger({geometry}, {0.8, 0.9, 256}).throttle(), "");
}

CoreParts lin_1_core(RecordingLog& log) {
    CoreParts parts;
    parts.geometry = geometry_of(2, 2, 1, 16, 4);
    parts.ftl.overprovision = 0.5;
    parts.frames = 20;
    parts.eviction = "linear-threshold";
    parts.triggers = lin_1();
    parts.log = &log;
    return parts;
}

TEST(LinearThresholdRateTest, WorkedExampleWithoutTime) {
    RecordingLog log;
    const auto core = make_core(lin_1_core(log));
    std::vector<std::uint32_t> used;
    for (std::uint64_t page = 0; page < 24; ++page) {
        EXPECT_FALSE(core->write(Lpn{page}).batch.evicts());
        core->evict_ahead_untimed([](const Batch&) {});
        used.push_back(core->buffer()->used());
    }
    const std::vector<std::uint32_t> tail(used.begin() + 12, used.end());
    EXPECT_EQ(tail, (std::vector<std::uint32_t>{11, 12, 11, 12, 11, 12, 11, 12, 11, 12, 11, 12}));
    Lines expected;
    for (std::uint64_t page = 0; page < 24; ++page) {
        expected.push_back("W" + std::to_string(page) + " miss");
        if (page >= 12 && page % 2 == 0) { // the 13th, 15th, .. insert
            for (const std::uint64_t victim : {page - 12, page - 11}) {
                expected.push_back("evict [" + std::to_string(victim) + "]");
            }
        }
    }
    Lines seen;
    for (const std::string& line : log.lines) {
        if (line[0] == 'W' || line[0] == 'e') {
            seen.push_back(line);
        }
    }
    EXPECT_EQ(seen, expected);
}

TEST(LinearThresholdRateTest, AHitEvictsNothingWithoutTime) {
    RecordingLog log;
    CoreParts parts = lin_1_core(log);
    parts.triggers[*find_eviction_trigger("linear-threshold")] =
        LinearThresholdParams{0.6, 0.9, 1}; // the level stays above the threshold
    const auto core = make_core(parts);
    for (std::uint64_t page = 0; page < 16; ++page) {
        core->write(Lpn{page});
    }
    core->evict_ahead_untimed([](const Batch&) {});
    EXPECT_EQ(core->buffer()->used(), 15u);
    core->write(Lpn{8});
    core->evict_ahead_untimed([](const Batch&) {});
    EXPECT_EQ(core->buffer()->used(), 15u);
    core->write(Lpn{30});
    core->evict_ahead_untimed([](const Batch&) {});
    EXPECT_EQ(core->buffer()->used(), 15u);
}

} // namespace
} // namespace cavern
