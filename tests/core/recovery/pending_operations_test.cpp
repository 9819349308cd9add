#include "core/recovery/pending_operations.h"

#include <gtest/gtest.h>

#include "core/recovery/torn.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

/// Two dies of two planes. A block of the first die is to be erased when a page of it has a newer
/// version on the second, and is to be programmed anew then.
TEST(PendingOperationsTest, NoPlaneThatWorksWithAnotherPassesTheEraseOfItsBlock) {
    const Geometry geometry = geometry_of(2, 1, 2, 4, 4);
    const Ppn old = geometry.page(geometry.block(PlaneId{1}, 0), 0);
    const Ppn beside = geometry.page(geometry.block(PlaneId{0}, 0), 0);
    const Ppn newer = geometry.page(geometry.block(PlaneId{2}, 0), 0);
    int torn = 0;
    for (std::uint64_t seed = 1; seed <= 64; ++seed) {
        NandArray array(geometry, false);
        array.program(old, Lpn{7}, 1);
        FlashOpList ops;
        ops.push_back({FlashOpKind::kProgram, Origin::kHost, newer, Lpn{7}});
        ops.back().version = 2;
        ops.back().supersedes = old;
        ops.push_back({FlashOpKind::kErase, Origin::kGc, old});
        ops.push_back({FlashOpKind::kProgram, Origin::kHost, beside, Lpn{8}});
        ops.push_back({FlashOpKind::kProgram, Origin::kHost, old, Lpn{9}});
        PendingOperations pending(array, 1, seed);
        pending.add(ops);
        const Torn cut = pending.cut([](const FlashOp&) { return false; });
        EXPECT_EQ(array.stored_lpn(old), Lpn{7});
        torn += array.is_torn(beside) ? 1 : 0;
        EXPECT_EQ(cut.pages, (array.is_torn(beside) ? 1u : 0u) + (array.is_torn(newer) ? 1u : 0u));
        EXPECT_EQ(cut.erases, 0u);
        EXPECT_EQ(pending.drop(), 3u);
        EXPECT_EQ(pending.size(), 0u);
    }
    EXPECT_GT(torn, 16); // that one does pass it
}

FlashOp program(Ppn page, Lpn lpn) {
    FlashOp op(FlashOpKind::kProgram, Origin::kHost, page, lpn);
    op.version = 1;
    return op;
}

class PendingUnitsTest : public ::testing::Test {
  protected:
    static Geometry shape() {
        Geometry geometry = geometry_of(1, 1, 1, 4, 2);
        geometry.page_bytes = 4096;
        return geometry.in_units(2048);
    }

    NandArray array{shape(), false};
    PendingOperations pending{array, 1, 1};
};

TEST_F(PendingUnitsTest, UnitsBehindAnEraseAreProgrammedAnew) {
    FlashOpList ops;
    for (const std::uint64_t lpn : {1u, 2u}) {
        ops.push_back(program(Ppn{lpn - 1}, Lpn{lpn}));
    }
    ops.push_back({FlashOpKind::kErase, Origin::kGc, Ppn{0}});
    for (const std::uint64_t lpn : {3u, 4u}) {
        ops.push_back(program(Ppn{lpn - 3}, Lpn{lpn}));
    }
    pending.add(ops);
    pending.settle(0);
    EXPECT_EQ(array.stored_lpn(Ppn{0}), Lpn{3});
    EXPECT_EQ(array.stored_lpn(Ppn{1}), Lpn{4});
    EXPECT_EQ(array.erase_count(BlockId{0}), 1u);
}

/// A page is copied between two units of a NAND page, the second of which is a part of that page.
TEST_F(PendingUnitsTest, AUnitDoesNotWaitForACopyBehindItsNandPage) {
    const Ppn source = shape().page(BlockId{1}, 0);
    const Ppn copied = shape().page(BlockId{2}, 0);
    array.program(source, Lpn{5}, 1);
    FlashOpList ops;
    ops.push_back(program(Ppn{0}, Lpn{1}));
    ops.push_back({FlashOpKind::kRead, Origin::kFold, source, Lpn{5}});
    ops.back().version = 1;
    ops.push_back(FlashOp::copy(Origin::kFold, source, copied, Lpn{5}, 1));
    ops.back().version = 1;
    ops.push_back({FlashOpKind::kProgram, Origin::kPadding, shape().page(BlockId{2}, 1)});
    ops.push_back({FlashOpKind::kErase, Origin::kFold, source, kNoLpn, 2});
    ops.push_back({FlashOpKind::kRead, Origin::kRmw, copied, Lpn{5}});
    ops.back().version = 1;
    ops.push_back(program(Ppn{1}, Lpn{5}));
    ops.back().version = 2;
    ops.back().after = 5;
    ops.back().merges = true;
    ops.back().supersedes = copied;
    pending.add(ops);
    pending.settle(0);
    EXPECT_EQ(array.stored_version(Ppn{1}), 2u);
    EXPECT_EQ(array.stored_lpn(copied), Lpn{5});
    EXPECT_FALSE(array.is_programmed(source));
}

TEST(TornTest, APageInSlcModeSharesItsCellsWithNone) {
    Geometry geometry = geometry_of(1, 1, 1, 4, 6);
    geometry.slc_blocks = 1;
    geometry.slc_pages = 2;
    NandArray array(geometry, false);
    const Ppn first = geometry.page(BlockId{1}, 0);
    array.program(Ppn{0}, Lpn{1}, 1);
    array.program(first, Lpn{2}, 1);
    EXPECT_EQ(tear_program(array, Ppn{1}, 3), 1u);
    EXPECT_FALSE(array.is_torn(Ppn{0}));
    EXPECT_EQ(tear_program(array, Ppn{raw(first) + 1}, 3), 2u);
    EXPECT_TRUE(array.is_torn(first));
}

} // namespace
} // namespace cavern::testing
