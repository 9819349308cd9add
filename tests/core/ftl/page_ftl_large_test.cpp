// Page mapping of a drive with more pages than 32 bits number: 64 TiB of user data in pages of
// 4 KiB. Maps cost memory only where they are written.
#include "core/ftl/page_ftl.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/ftl/ftl_why_not.h"
#include "core/ftl/page_ftl_why_not.h"
#include "core/nand/nand_array.h"
#include "tests/core/ftl/page_ftl_fixture.h"

namespace cavern {
namespace {

constexpr std::uint64_t kUserPages = std::uint64_t{1} << 34;
constexpr std::uint64_t kAllowedBytes = std::uint64_t{300} << 20;

/// 2^14 planes of 2^20 pages and a share of 9/8 of them.
Geometry large() {
    Geometry geometry;
    geometry.channels = 64;
    geometry.ways = 16;
    geometry.planes_per_die = 16;
    geometry.blocks_per_plane = 576;
    geometry.pages_per_block = 2048;
    geometry.page_bytes = 4096;
    return geometry;
}

FtlParams params(GcPlacement placement = GcPlacement::kPlane) {
    FtlParams result = testing::page_params(0.11, 2, 3);
    result.gc_placement = placement;
    return result;
}

std::uint64_t resident_bytes() {
    std::uint64_t all = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * 4096;
}

/// The layer, and an array that does what it says and knows what NAND forbids.
class LargeDriveTest : public ::testing::Test {
  protected:
    void build(GcPlacement placement = GcPlacement::kPlane) {
        ftl_ = std::make_unique<PageFtl>(geometry_, params(placement), nullptr);
        array_ = std::make_unique<NandArray>(geometry_, true);
    }
    void write(std::uint64_t lpn, PlaneId plane) {
        ops_.clear();
        ftl_->write(Lpn{lpn}, plane, ops_);
        for (const FlashOp& op : ops_) {
            if (op.kind == FlashOpKind::kErase) {
                array_->erase(geometry_.block_of(op.page));
                ++erases_;
            } else if (op.kind == FlashOpKind::kProgram) {
                array_->program(op.page, op.lpn);
            } else {
                ASSERT_EQ(array_->read(op.page), op.lpn);
            }
        }
    }
    void expect_in_flash(std::uint64_t lpn) {
        const Ppn page = ftl_->location(Lpn{lpn});
        ASSERT_NE(page, kNoPpn) << lpn;
        EXPECT_EQ(array_->stored_lpn(page), Lpn{lpn});
    }

    Geometry geometry_ = large();
    std::uint64_t before_ = resident_bytes();
    std::unique_ptr<PageFtl> ftl_;
    std::unique_ptr<NandArray> array_;
    FlashOpList ops_;
    std::uint64_t erases_ = 0;
};

TEST_F(LargeDriveTest, BothEndsAreWrittenAndReadBack) {
    for (const GcPlacement placement : {GcPlacement::kPlane, GcPlacement::kDie}) {
        build(placement);
        const std::uint64_t last = ftl_->logical_pages() - 1;
        ASSERT_GE(last, kUserPages);
        const PlaneId end{geometry_.planes() - 1};
        for (std::uint64_t i = 0; i < 300; ++i) {
            write(i % 100, PlaneId{0});
            write(last - i % 100, end);
        }
        for (std::uint64_t i = 0; i < 100; ++i) {
            expect_in_flash(i);
            expect_in_flash(last - i);
        }
        EXPECT_EQ(geometry_.die_of(ftl_->location(Lpn{0})), DieId{0});
        EXPECT_EQ(geometry_.die_of(ftl_->location(Lpn{last})), DieId{geometry_.dies() - 1});
        EXPECT_GT(raw(ftl_->location(Lpn{last})), kUserPages);
        EXPECT_EQ(ftl_->location(Lpn{last - 100}), kNoPpn);
        ops_.clear();
        ftl_->trim(Lpn{last}, ops_);
        EXPECT_EQ(ftl_->location(Lpn{last}), kNoPpn);
        EXPECT_EQ(ftl_->mapped_pages(), 199u);
        EXPECT_GT(ftl_->check_invariants(), 300u);
        EXPECT_LT(resident_bytes(), before_ + kAllowedBytes);
    }
}

// The last plane is overwritten until it is collected: pages move, numbers of 35 bits all of them.
TEST_F(LargeDriveTest, ThePlaneAtTheEndIsCollected) {
    build();
    const PlaneId end{geometry_.planes() - 1};
    const std::uint64_t writes = geometry_.pages() / geometry_.planes() + 100'000;
    constexpr std::uint64_t kApart = 64; // one page of so many stays, the others are overwritten
    constexpr std::uint64_t kHot = 20'000;
    const std::uint64_t stay = (writes + kApart - 1) / kApart;
    const std::uint64_t first = ftl_->logical_pages() - kHot - stay;
    Random random(3);
    for (std::uint64_t i = 0; i < writes; ++i) {
        write(i % kApart == 0 ? first + kHot + i / kApart : first + random.below(kHot), end);
    }
    EXPECT_GT(erases_, 5u);
    EXPECT_GT(ftl_->counters().gc_pages, 100u);
    for (std::uint64_t lpn = first; lpn < ftl_->logical_pages(); ++lpn) {
        expect_in_flash(lpn);
        ASSERT_GT(raw(ftl_->location(Lpn{lpn})), kUserPages);
    }
    EXPECT_EQ(ftl_->mapped_pages(), kHot + stay);
    EXPECT_GT(ftl_->check_invariants(), 1'000'000u);
    EXPECT_LT(resident_bytes(), before_ + kAllowedBytes);
}

TEST_F(LargeDriveTest, OtherLayersNameTheirReason) {
    EXPECT_FALSE(page_ftl_why_not(geometry_, params()));
    EXPECT_EQ(
        drive_fits(geometry_, params()).value_or(""),
        "the drive has more than 2^32 - 2 pages, and the maps of this layer hold page numbers "
        "of 32 bits; ftl.scheme = \"page\", or fewer or larger pages");
}

} // namespace
} // namespace cavern
