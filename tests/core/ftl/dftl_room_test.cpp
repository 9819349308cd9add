// How much a drive with its map in flash needs beside its data: which is refused, and that the
// smallest one built never runs dry.
#include "core/ftl/dftl.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"
#include "tests/core/ftl/dftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::params_of;
using testing::with_entries;

/// The smallest over-provisioning, in thousandths, with which the drive can be built.
FtlParams tightest(const Geometry& geometry, FtlParams params) {
    const auto fits = [&](int thousandths) {
        params.overprovision = thousandths / 1000.0;
        return dftl_why_not(geometry, params) == std::nullopt;
    };
    int too_few = -1;
    int enough = 999;
    while (enough - too_few > 1) {
        const int half = (too_few + enough) / 2;
        (fits(half) ? enough : too_few) = half;
    }
    EXPECT_TRUE(enough == 0 || !fits(enough - 1));
    EXPECT_TRUE(fits(enough));
    return params;
}

class DftlRoomSlowTest : public ::testing::TestWithParam<GcPace> {};

INSTANTIATE_TEST_SUITE_P(At, DftlRoomSlowTest, ::testing::Values(GcPace::kBurst, GcPace::kPaced),
                         [](const auto& test) {
                             return test.param == GcPace::kBurst ? std::string("Once")
                                                                 : std::string("APace");
                         });

TEST_P(DftlRoomSlowTest, TheSmallestDriveThatIsBuiltNeverRunsDry) {
    int drives = 0;
    for (const std::uint32_t blocks : {10u, 13u, 24u, 60u}) {
        for (const std::uint32_t block_pages : {2u, 4u, 16u}) {
            for (const std::uint32_t entries : {2u, 4u, 64u}) {
                for (const std::uint32_t cache : {1u, 3u, 50u}) {
                    const Geometry geometry =
                        with_entries(geometry_of(1, 1, 1, blocks, block_pages), entries);
                    FtlParams params = params_of(0, cache, (blocks + cache) % 2 == 0);
                    params.gc_shared_frontier = cache == 3;
                    params.gc_pace = GetParam();
                    params = tightest(geometry, params);
                    Dftl ftl(geometry, params, nullptr);
                    NandArray array(geometry, true);
                    Random random(blocks * block_pages + cache);
                    FlashOpList ops;
                    for (std::uint64_t step = 0; step < 3000; ++step) {
                        const std::uint64_t pages = ftl.logical_pages();
                        ops.clear();
                        ftl.write(Lpn{step < pages ? step : random.below(pages)}, PlaneId{0}, ops);
                        apply_untimed(ops, array);
                    }
                    ftl.check_invariants();
                    EXPECT_EQ(ftl.mapped_pages(), ftl.logical_pages());
                    ++drives;
                }
            }
        }
    }
    EXPECT_EQ(drives, 108);
}

TEST(DftlRoomTest, ADriveWithoutRoomForItsTranslationPagesIsRefused) {
    const Geometry geometry = with_entries(geometry_of(1, 1, 1, 40, 4), 4);
    const auto problem = dftl_why_not(geometry, params_of(0.05, 8));
    ASSERT_TRUE(problem.has_value());
    EXPECT_NE(problem->find("beside 10 of translation pages"), std::string::npos) << *problem;
    EXPECT_THROW(Dftl(geometry, params_of(0.05, 8), nullptr), ModelError);
    FtlParams params = params_of(0.9, 8);
    params.gc_policy = nullptr;
    EXPECT_EQ(dftl_why_not(geometry, params), "no ftl.gc_policy; greedy");
    params.gc_policy = default_victim_policy();
    params.gc_in_pages = true;
    EXPECT_EQ(dftl_why_not(geometry, params)->substr(0, 24), "ftl.gc_unit = \"pages\" do");
}

// Between its steps the host may fill the block that the copies of a victim counted on.
TEST(DftlRoomTest, PacedCopiesThatShareBlocksWithTheHostNeedOneMore) {
    const auto spare_needed = [](GcPace pace, bool shared) {
        FtlParams params = params_of(0.0, 8);
        params.gc_pace = pace;
        params.gc_shared_frontier = shared;
        std::uint32_t blocks = 5;
        while (dftl_why_not(with_entries(geometry_of(1, 1, 1, blocks, 4), 4), [&] {
            params.overprovision = 1.0 - 5.0 / blocks; // 5 blocks of data
            return params;
        }())) {
            ++blocks;
        }
        return blocks;
    };
    const std::uint32_t blocks = spare_needed(GcPace::kBurst, false);
    EXPECT_EQ(spare_needed(GcPace::kBurst, true), blocks);
    EXPECT_EQ(spare_needed(GcPace::kPaced, false), blocks);
    EXPECT_EQ(spare_needed(GcPace::kPaced, true), blocks + 1);
}

} // namespace
} // namespace cavern
