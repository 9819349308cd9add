#include "core/recovery/rebuild.h"

#include <gtest/gtest.h>

#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

/// Two planes of two blocks in SLC mode and four others, of four pages each.
class RoomForSlcTest : public ::testing::Test {
  protected:
    static Geometry geometry() {
        Geometry geometry = geometry_of(2, 1, 1, 6, 4);
        geometry.slc_blocks = 2;
        geometry.slc_pages = 4;
        return geometry;
    }
    /// Plane 0 holds so many pages in its first block, which is in SLC mode, and three in another.
    /// Where page 0 lies when the drive has come back.
    PlaneId after(std::uint32_t in_slc) {
        NandArray array(geometry(), false, true);
        for (std::uint32_t i = 0; i < in_slc; ++i) {
            array.program(geometry().page(BlockId{0}, i), Lpn{i}, i + 1);
        }
        for (std::uint32_t i = 0; i < 3; ++i) {
            array.program(geometry().page(BlockId{2}, i), Lpn{10 + i}, 10 + i);
        }
        SpareScan scan(array, 16);
        scan.run();
        Rebuild rebuild(scan, array);
        rebuild_pages(rebuild, 1, GcPlacement::kPlane);
        return geometry().plane_of(geometry().block_of(Ppn{scan.places()[0] - 1}));
    }
};

// Of its four blocks a plane keeps one, and two for what moves: one is left for both kinds of data.
TEST_F(RoomForSlcTest, WhatHasRoomInABlockOfAllBitsStays) {
    EXPECT_EQ(after(1), PlaneId{0});
}

TEST_F(RoomForSlcTest, WhatHasNoneIsFoldedIntoAnotherPlane) {
    EXPECT_EQ(after(2), PlaneId{1});
}

} // namespace
} // namespace cavern::testing
