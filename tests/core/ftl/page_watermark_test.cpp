// Collection between two watermarks that are numbers of pages.

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ftl/d_choices.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/ftl/victim_policy_table.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::RecordingLog;

constexpr PlaneId kPlane{0};

/// docs/algorithms.md, GCW-1: a plane with 256 free pages and blocks of 256 pages with 156, 216 and
/// 136 valid ones, all others full. Watermarks of 256 and 512 pages.
class PageWatermarkTest : public ::testing::Test {
  protected:
    static constexpr std::uint32_t kBlocks = 12;
    static constexpr std::uint32_t kPages = 256;

    static FtlParams params() {
        FtlParams params;
        params.overprovision = 0.5;
        params.gc_policy = find_victim_policy("random");
        params.gc_in_pages = true;
        params.gc_low = 256;
        params.gc_high = 512;
        return params;
    }
    void write(std::uint64_t lpn) {
        ops.clear();
        ftl.write(Lpn{lpn}, kPlane, ops);
    }
    /// Writes until so many pages are free: three blocks of new pages, overwrites of 100, 40 and
    /// 120 of those, new pages.
    void write_until(std::uint64_t free) {
        std::uint64_t written = 0;
        const std::uint64_t all = std::uint64_t{kBlocks} * kPages - free;
        std::uint64_t fresh = 0;
        for (; written < 3 * kPages; ++written) {
            write(fresh++);
        }
        const std::uint64_t invalid[] = {100, 40, 120};
        for (std::uint64_t block = 0; block < 3; ++block) {
            for (std::uint64_t i = 0; i < invalid[block]; ++i, ++written) {
                write(block * kPages + i);
            }
        }
        for (; written < all; ++written) {
            write(fresh++);
        }
    }

    Geometry geometry = geometry_of(1, 1, 2, kBlocks, kPages);
    RecordingLog log;
    PageFtl ftl{geometry, params(), &log};
    FlashOpList ops;
};

TEST_F(PageWatermarkTest, ThreeVictimsTakeTheExampleFrom256To516FreePages) {
    ASSERT_EQ(page_ftl_why_not(geometry, params()), std::nullopt);
    write_until(256);
    EXPECT_EQ(ftl.space().pages_to_fill(kPlane), 256u);
    EXPECT_EQ(ftl.counters().gc_runs, 0u);
    EXPECT_EQ(ftl.space().block(BlockId{0}).valid, 156u);
    EXPECT_EQ(ftl.space().block(BlockId{1}).valid, 216u);
    EXPECT_EQ(ftl.space().block(BlockId{2}).valid, 136u);
    write(2900);
    EXPECT_EQ(ftl.counters().gc_runs, 3u);
    EXPECT_EQ(ftl.counters().gc_pages, 508u);
    EXPECT_EQ(ftl.space().pages_to_fill(kPlane), 515u); // 516, and the page just written
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST_F(PageWatermarkTest, With257FreePagesNothingHappens) {
    write_until(257);
    write(2900);
    EXPECT_EQ(ops.size(), 1u);
    EXPECT_EQ(ftl.counters().gc_runs, 0u);
    write(2901); // 256 are free now
    EXPECT_EQ(ftl.counters().gc_runs, 3u);
}

TEST_F(PageWatermarkTest, APlaneWithoutGarbageGoesOnToItsReserve) {
    const std::uint64_t room = std::uint64_t{kBlocks - 1} * kPages;
    for (std::uint64_t lpn = 0; lpn < room; ++lpn) {
        write(lpn);
    }
    EXPECT_EQ(ftl.counters().gc_runs, 0u);
    EXPECT_EQ(ftl.space().pages_to_fill(kPlane), kPages);
    EXPECT_THROW(write(room), ModelError);
    // One page of garbage is progress, if little.
    ftl.trim(Lpn{5}, ops);
    EXPECT_THROW(write(room), ModelError);
    EXPECT_EQ(ftl.counters().gc_pages, kPages - 1u);
}

TEST(PageWatermarkFitsTest, SpareBlocksAreThoseOfThePages) {
    FtlParams params;
    params.gc_in_pages = true;
    params.gc_low = 256;
    params.gc_high = 512;
    params.overprovision = 0.1;
    // 8 blocks of 64 pages, and two.
    EXPECT_EQ(page_ftl_why_not(geometry_of(1, 1, 1, 100, 64), params), std::nullopt);
    params.gc_high = 513;
    EXPECT_EQ(page_ftl_why_not(geometry_of(1, 1, 1, 100, 64), params),
              "ftl.overprovision leaves 10 spare blocks per plane of 100; 11 are needed (the "
              "blocks of ftl.gc_high pages, at least 2, + 2), a share of at least 0.1100");
    params.gc_policy = find_victim_policy("d-choices");
    params.gc_params = DChoicesParams{65};
    EXPECT_NE(page_ftl_why_not(geometry_of(1, 1, 1, 100, 64), params)->find("at most 64"),
              std::string::npos);
}

} // namespace
} // namespace cavern
