// What DFTL has of the flash space below its map: failing blocks, wear levelling and refresh.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/dftl_shape.h"
#include "tests/core/ftl/dftl_fixture.h"
#include "tests/core/ftl/rescue_case.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::expect_rescue_from_block_0;
using testing::geometry_of;
using testing::params_of;
using testing::read;
using testing::RecordingLog;
using testing::with_entries;
using testing::write;

// ---- failures -----------------------------------------------------------------------------------

// Two pages whose entries are cached, so that no translation page is rewritten for them.
TEST(DftlFailureTest, AFailedProgramIsDoneElsewhereAndItsBlockIsEmptied) {
    FtlParams params = params_of(0.9, 8);
    params.faults.single = {{BlockFault::Kind::kProgram, BlockId{0}, 2, 0}};
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 40, 4), 4), params, nullptr);
    expect_rescue_from_block_0(ftl);
}

// Page 3 of the block of translation pages: those written before move, and none is of the host.
TEST(DftlFailureTest, ABlockOfTranslationPagesIsEmptiedAsWell) {
    FtlParams params = params_of(0.9, 1);
    params.faults.single = {{BlockFault::Kind::kProgram, BlockId{1}, 3, 0}};
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 40, 4), 4), params, nullptr);
    for (std::uint64_t table = 0; table < 4; ++table) { // each evicts the entry of the one before
        write(ftl, 4 * table);
    }
    EXPECT_EQ(ftl.table_pages(), 3u);
    (void)write(ftl, 1);
    EXPECT_EQ(ftl.table_pages(), 4u);
    EXPECT_EQ(ftl.counters().failed_programs, 1u);
    EXPECT_EQ(ftl.counters().rescued_pages, 0u); // which counts data
    EXPECT_EQ(ftl.own_counters().value_of("map_pages_written"), 4u + 3u);
    EXPECT_EQ(ftl.bad_blocks().grown, 1u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(DftlFailureTest, APlaneWithoutRoomForItsPagesIsWornOut) {
    FtlParams params = params_of(0.85, 8);
    params.faults.last_erase = 3;
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 80, 4), 4), params, nullptr);
    std::uint64_t written = 0;
    const auto wear_it_out = [&] {
        for (Random random(1); written < 100'000; ++written) {
            write(ftl, random.below(ftl.logical_pages()));
        }
    };
    EXPECT_THROW(wear_it_out(), UserError);
    const std::uint64_t bad = ftl.bad_blocks().grown;
    EXPECT_GT(bad, 20u);
    EXPECT_LT(bad, 80u);
    // Three erases of each block and its first use are the most there is to write.
    EXPECT_LT(written, 80u * 4 * 4);
    EXPECT_GT(written, 80u * 4);
}

// ---- wear ---------------------------------------------------------------------------------------

struct Spread {
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
};

/// Three quarters of the pages are written once, the rest again and again.
Spread wear_of(WearLeveling leveling, std::uint32_t threshold, GcPace pace) {
    const Geometry geometry = with_entries(geometry_of(1, 1, 1, 64, 16), 32);
    FtlParams params = params_of(0.35, 40);
    params.wear_leveling = leveling;
    params.wear_threshold = threshold;
    params.gc_pace = pace;
    Dftl ftl(geometry, params, nullptr);
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        write(ftl, lpn);
    }
    Random random(1);
    for (int i = 0; i < 60'000; ++i) {
        write(ftl, random.below(ftl.logical_pages() / 4));
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
    EXPECT_EQ(ftl.counters().wear_runs > 0, leveling == WearLeveling::kStatic);
    Spread spread;
    for (std::uint32_t block = 0; block < geometry.blocks(); ++block) {
        spread.least = std::min(spread.least, ftl.space().block(BlockId{block}).erases);
        spread.most = std::max(spread.most, ftl.space().block(BlockId{block}).erases);
    }
    return spread;
}

class DftlWearTest : public ::testing::TestWithParam<GcPace> {};

INSTANTIATE_TEST_SUITE_P(Pace, DftlWearTest, ::testing::Values(GcPace::kBurst, GcPace::kPaced));

TEST_P(DftlWearTest, StaticLevellingBoundsTheSpreadThatIsLeftWithoutIt) {
    const Spread none = wear_of(WearLeveling::kNone, 0, GetParam());
    const Spread leveled = wear_of(WearLeveling::kStatic, 20, GetParam());
    EXPECT_LE(none.least, 1u); // cold blocks are never collected
    EXPECT_GT(none.most - none.least, 60u);
    EXPECT_LE(leveled.most - leveled.least, 24u);
    EXPECT_GT(leveled.least, 20u);
}

// ---- refresh ------------------------------------------------------------------------------------

TEST(DftlRefreshTest, ABlockThatWasReadTooOftenIsMovedWithTheNextPageOfTheHost) {
    FtlParams params = params_of(0.9, 8);
    params.refresh_reads = 3;
    params.refreshes = true;
    Dftl ftl(with_entries(geometry_of(1, 1, 1, 40, 4), 4), params, nullptr);
    for (std::uint64_t lpn = 0; lpn < 4; ++lpn) {
        write(ftl, lpn);
    }
    for (int reads = 0; reads < 3; ++reads) {
        read(ftl, 1);
    }
    write(ftl, 5); // opens a block
    EXPECT_EQ(ftl.counters().refresh_runs, 1u);
    EXPECT_EQ(ftl.counters().refresh_pages, 4u);
    EXPECT_EQ(ftl.space().block(BlockId{0}).erases, 1u);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

} // namespace
} // namespace cavern
