#include "core/recovery/pending_operations.h"

#include <gtest/gtest.h>

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
        const PendingOperations::Cut cut = pending.cut();
        EXPECT_EQ(array.stored_lpn(old), Lpn{7});
        torn += array.is_torn(beside) ? 1 : 0;
        EXPECT_EQ(cut.torn_pages,
                  (array.is_torn(beside) ? 1u : 0u) + (array.is_torn(newer) ? 1u : 0u));
        EXPECT_EQ(cut.torn_pages + cut.dropped, ops.size());
    }
    EXPECT_GT(torn, 16); // that one does pass it
}

} // namespace
} // namespace cavern::testing
