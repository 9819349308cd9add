#include "core/recovery/mount_time.h"

#include <gtest/gtest.h>

#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

const MountTimes kTimes{25 * kUs, 200 * kUs, 1500 * kUs, 2 * kUs, 60 * kUs, 15 * kUs, 90 * kUs};

TEST(MountTimeTest, TheBusiestDieOrItsBusIsTheScan) {
    const Geometry geometry = geometry_of(2, 2, 1, 4, 4);
    // Dies 0 and 2 are on channel 0.
    EXPECT_EQ(scan_time(geometry, kTimes, {10, 3, 4, 1}), 10 * 27 * kUs);
    const Geometry wide = geometry_of(1, 20, 1, 4, 4);
    // 20 dies of 10: 400 us on the bus behind the first tR; 270 us in each die.
    EXPECT_EQ(scan_time(wide, kTimes, std::vector<std::uint64_t>(20, 10)), 425 * kUs);
    EXPECT_EQ(scan_time(geometry, kTimes, {0, 0, 0, 0}), 0u);
}

TEST(MountTimeTest, BlocksInSlcModeHaveTimesOfTheirOwn) {
    Geometry geometry = geometry_of(2, 1, 1, 4, 4);
    geometry.slc_blocks = 1;
    geometry.slc_pages = 2;
    EXPECT_EQ(scan_time(geometry, kTimes, {10, 3}, {4, 20}), 20 * 17 * kUs + 3 * 27 * kUs);
    FlashOpList ops;
    ops.push_back({FlashOpKind::kRead, Origin::kRecovery, Ppn{1}});
    ops.push_back({FlashOpKind::kProgram, Origin::kRecovery, Ppn{0}});
    ops.push_back({FlashOpKind::kProgram, Origin::kRecovery, Ppn{4}});
    EXPECT_EQ(rebuild_time(geometry, kTimes, ops), (15 + 60 + 90 + 60 + 200 + 60) * kUs);
}

TEST(MountTimeTest, OperationsOfADieFollowEachOther) {
    const Geometry geometry = geometry_of(2, 1, 1, 4, 4);
    const Ppn other = geometry.page(BlockId{4}, 0); // on die 1
    FlashOpList ops;
    ops.push_back({FlashOpKind::kRead, Origin::kRecovery, Ppn{0}});
    ops.push_back({FlashOpKind::kProgram, Origin::kRecovery, Ppn{8}});
    ops.push_back({FlashOpKind::kErase, Origin::kRecovery, Ppn{0}});
    ops.push_back({FlashOpKind::kErase, Origin::kRecovery, other});
    EXPECT_EQ(rebuild_time(geometry, kTimes, ops), (25 + 60 + 200 + 60 + 1500) * kUs);
    EXPECT_EQ(rebuild_time(geometry, kTimes, {}), 0u);
}

} // namespace
} // namespace cavern::testing
