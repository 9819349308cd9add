// Collection in steps in DFTL.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/ftl/dftl.h"
#include "core/ftl/victim_policy_table.h"
#include "tests/core/ftl/dftl_fixture.h"
#include "tests/core/ftl/flash_op_text.h"
#include "tests/support/core_fixtures.h"

namespace cavern::testing {
namespace {

/// `entries` of a translation page.
Geometry one_plane(std::uint32_t blocks, std::uint32_t pages, std::uint32_t entries) {
    return with_entries(geometry_of(1, 1, 1, blocks, pages), entries);
}

FtlParams params_of(GcPace pace, double overprovision, std::uint32_t cache) {
    FtlParams params = testing::params_of(overprovision, cache);
    params.gc_pace = pace;
    return params;
}

/// Programs that are not the host's pages: copies and translation pages.
std::uint64_t others_in(const FlashOpList& ops) {
    return static_cast<std::uint64_t>(std::count_if(ops.begin(), ops.end(), [](const FlashOp& op) {
        return op.kind == FlashOpKind::kProgram && op.origin != Origin::kHost;
    }));
}

// ---- a victim, step by step ---------------------------------------------------------------------

/// Blocks of four pages, translation pages of four entries. Pages 0 .. 15 fill blocks, and pages 0,
/// 1, 4, 5 are written again, so that blocks with pages 2, 3 and with 6, 7 are half valid. Whatever
/// was cached is in flash.
class DftlPaceTest : public ::testing::Test {
  protected:
    DftlPaceTest() {
        FlashOpList ops;
        for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
            ftl.write(Lpn{lpn}, PlaneId{0}, ops);
        }
        for (const std::uint64_t lpn : {0, 1, 4, 5}) {
            ftl.write(Lpn{lpn}, PlaneId{0}, ops);
        }
        ftl.empty_cache(ops);
        ftl.reset_counters();
        log.lines.clear();
    }
    /// Steps of one unit until so many victims have been emptied; what each step took.
    std::vector<Lines> steps(std::uint64_t victims) {
        std::vector<Lines> all;
        while (ftl.counters().gc_runs < victims) {
            FlashOpList ops;
            EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
            all.push_back(text_of(ops));
            EXPECT_GT(ftl.check_invariants(), 0u);
        }
        return all;
    }
    RecordingLog log;
    FtlParams params = [] {
        FtlParams p = params_of(GcPace::kPaced, 0.85, 4);
        p.gc_background = 40;
        return p;
    }();
    Dftl ftl{one_plane(40, 4, 4), params, &log};
};

/// The victim after those of translation pages alone.
std::vector<Lines> last_victim(const std::vector<Lines>& steps) {
    std::vector<Lines> last;
    for (const Lines& step : steps) {
        if (!last.empty() && last.back().back().find("erase") != std::string::npos) {
            last.clear();
        }
        last.push_back(step);
    }
    return last;
}

bool moves_data(const std::vector<Lines>& victim) {
    return victim.front().front().find("gc") != std::string::npos;
}

TEST_F(DftlPaceTest, EachTranslationPageIsRewrittenOnceWhenTheVictimHasBeenCopied) {
    std::vector<Lines> victim;
    for (std::uint64_t victims = 1; victim.empty() || !moves_data(victim); ++victims) {
        victim = last_victim(steps(victims));
    }
    // Two copies, whose entries are in one translation page; then that, and the erase with it.
    ASSERT_EQ(victim.size(), 3u);
    EXPECT_EQ(victim[0].size(), 2u);
    EXPECT_NE(victim[0][1].find("program gc"), std::string::npos) << victim[0][1];
    EXPECT_NE(victim[1][1].find("program gc"), std::string::npos) << victim[1][1];
    ASSERT_EQ(victim[2].size(), 3u);
    EXPECT_NE(victim[2][1].find("program map"), std::string::npos) << victim[2][1];
    EXPECT_NE(victim[2][2].find("erase gc"), std::string::npos) << victim[2][2];
    EXPECT_NE(victim[2][2].find("after 1"), std::string::npos) << victim[2][2];
    EXPECT_EQ(ftl.cache_counters().gc_batches, 1u);
    EXPECT_EQ(ftl.cache_counters().gc_batch_entries, 2u);
    EXPECT_EQ(ftl.cache_counters().data_copies, 2u);
}

/// Steps until the first page of data has been copied.
#define COPY_ONE_PAGE()                                                                            \
    while (ftl.cache_counters().data_copies == 0) {                                                \
        FlashOpList step_;                                                                         \
        ASSERT_TRUE(ftl.maintain(PlaneId{0}, 1, step_));                                           \
    }

TEST_F(DftlPaceTest, AReadFindsAPageCopiedWhoseTranslationPageIsNotRewrittenYet) {
    COPY_ONE_PAGE();
    EXPECT_EQ(ftl.cache_counters().gc_batches, 0u);
    // Pages 2 and 3, or 6 and 7: the map knows both, before and after their entries come and go.
    std::vector<Ppn> places;
    for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
        places.push_back(ftl.location(Lpn{lpn}));
    }
    for (std::uint64_t lpn = 0; lpn < 16; ++lpn) {
        FlashOpList ops;
        EXPECT_EQ(ftl.read(Lpn{lpn}, ops), places[lpn]) << lpn;
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
}

// One translation page for all 64 pages; two blocks of sixteen of which eight are valid.
TEST(DftlPaceOfATableTest, ATranslationPageWrittenBackMeanwhileHasWhatWasCopiedSoFar) {
    FtlParams params = params_of(GcPace::kPaced, 1 - 64.0 / (24 * 16), 4);
    params.gc_background = 24;
    Dftl ftl(one_plane(24, 16, 64), params, nullptr);
    FlashOpList ops;
    for (std::uint64_t lpn = 0; lpn < 64; ++lpn) {
        ftl.write(Lpn{lpn}, PlaneId{0}, ops);
    }
    for (std::uint64_t lpn = 0; lpn < 32; lpn += 2) {
        ftl.write(Lpn{lpn}, PlaneId{0}, ops);
    }
    ftl.empty_cache(ops);
    ftl.write(Lpn{63}, PlaneId{0}, ops); // an entry to be written back
    ftl.reset_counters();
    while (ftl.cache_counters().data_copies < 2) {
        ASSERT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    }
    ftl.empty_cache(ops);
    EXPECT_EQ(ftl.cache_counters().batches, 1u);
    const std::uint64_t settled = ftl.cache_counters().data_copies;
    ASSERT_LT(settled, 8u);
    EXPECT_EQ(ftl.cache_counters().gc_batches, 0u);
    while (ftl.cache_counters().data_collections == 0) {
        ASSERT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    }
    EXPECT_EQ(ftl.cache_counters().data_copies, 8u);
    EXPECT_EQ(ftl.cache_counters().gc_batches, 1u);
    EXPECT_EQ(ftl.cache_counters().gc_batch_entries, 8 - settled);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST_F(DftlPaceTest, APageWrittenOrTrimmedMeanwhileIsNotCopied) {
    COPY_ONE_PAGE();
    FlashOpList ops;
    ftl.write(Lpn{3}, PlaneId{0}, ops);
    ftl.write(Lpn{7}, PlaneId{0}, ops);
    ftl.trim(Lpn{6}, ops);
    ftl.trim(Lpn{2}, ops);
    const std::uint64_t copies = ftl.cache_counters().data_copies;
    const std::uint64_t victims = ftl.cache_counters().data_collections;
    while (ftl.cache_counters().data_collections == victims) {
        ops.clear();
        if (!ftl.maintain(PlaneId{0}, 1, ops)) {
            break;
        }
    }
    EXPECT_EQ(ftl.cache_counters().data_copies, copies);
    EXPECT_GT(ftl.check_invariants(), 0u);
}

// ---- steady state -------------------------------------------------------------------------------

struct Steady {
    std::uint64_t most = 0; ///< copies and translation pages with one host page
    double others = 0;      ///< of them, on average
    double map_writes = 0;  ///< translation pages per host page
    double gc_batches = 0;  ///< of them, for pages moved
};

/// Random writes over all of the drive, ten times its pages, of which the last five count.
Steady play(const FtlParams& params, const Geometry& geometry) {
    Dftl ftl(geometry, params, nullptr);
    Random random(7);
    const std::uint64_t pages = ftl.logical_pages();
    for (std::uint64_t lpn = 0; lpn < pages; ++lpn) {
        write(ftl, lpn);
    }
    Steady result;
    for (std::uint64_t i = 0; i < 10 * pages; ++i) {
        if (i == 5 * pages) {
            ftl.reset_counters();
        }
        const FlashOpList ops = write(ftl, random.below(pages));
        if (i >= 5 * pages) {
            result.most = std::max(result.most, others_in(ops));
        }
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
    const auto host = static_cast<double>(ftl.counters().host_pages);
    result.others = static_cast<double>(ftl.programs()) / host - 1;
    result.map_writes =
        static_cast<double>(ftl.own_counters().value_of("map_pages_written")) / host;
    result.gc_batches = static_cast<double>(ftl.cache_counters().gc_batches) / host;
    return result;
}

struct Shape {
    const char* name;
    std::uint32_t entries; ///< of a translation page: the more, the fewer of them a victim touches
    double overprovision;
};
void PrintTo(const Shape& shape, std::ostream* out) {
    *out << shape.name;
}

class DftlSteadyPaceTest : public ::testing::TestWithParam<Shape> {
  protected:
    const Geometry geometry = one_plane(128, 32, GetParam().entries);
    [[nodiscard]] FtlParams params(GcPace pace) const {
        return params_of(pace, GetParam().overprovision, 64);
    }
};

INSTANTIATE_TEST_SUITE_P(Of, DftlSteadyPaceTest,
                         ::testing::Values(Shape{"FewTables", 2048, 0.2},
                                           Shape{"SomeTables", 256, 0.3},
                                           Shape{"ManyTables", 32, 0.45}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(DftlSteadyPaceTest, NoHostPageWaitsForAWholeVictim) {
    const Steady paced = play(params(GcPace::kPaced), geometry);
    const Steady burst = play(params(GcPace::kBurst), geometry);
    EXPECT_GT(burst.most, 2 * paced.most);
}

// ---- room for what is left of a victim ----------------------------------------------------------

struct Tight {
    std::uint32_t blocks;
    std::uint32_t pages;
    std::uint32_t entries;
    std::uint32_t logical;
    std::uint32_t cache;
};

/// As many logical pages as fit. A random victim leaves blocks without a valid page where they
/// are, and the host fills the block that the copies go to: what is left of the victim must fit all
/// the same.
TEST(DftlTightPaceTest, TheHostNeverTakesTheRoomOfAVictimThatSharesItsBlocks) {
    for (const Tight& tight : {Tight{17, 4, 64, 40, 38}, Tight{15, 4, 8, 28, 43},
                               Tight{10, 8, 64, 24, 47}, Tight{24, 16, 64, 537 / 2, 45}}) {
        const Geometry geometry = one_plane(tight.blocks, tight.pages, tight.entries);
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            SCOPED_TRACE(std::to_string(tight.blocks) + " blocks, seed " + std::to_string(seed));
            FtlParams params = params_of(
                GcPace::kPaced,
                1 - static_cast<double>(tight.logical) / (tight.blocks * tight.pages), tight.cache);
            params.gc_shared_frontier = true;
            params.gc_policy = find_victim_policy("random");
            params.seed = seed;
            ASSERT_EQ(dftl_why_not(geometry, params), std::nullopt);
            Dftl ftl(geometry, params, nullptr);
            Random random(seed);
            FlashOpList ops;
            for (int i = 0; i < 2000; ++i) {
                ops.clear();
                ASSERT_NO_THROW(ftl.write(Lpn{random.below(ftl.logical_pages())}, PlaneId{0}, ops));
            }
            EXPECT_GT(ftl.check_invariants(), 0u);
        }
    }
}

/// A victim is chosen that needs two blocks, and there is one. No closed block has garbage of
/// translation pages: all of it lies in the open one, which has room for a page.
TEST(DftlTightPaceTest, TheOpenBlockOfTranslationPagesIsGivenUpWhereNoOtherHasGarbage) {
    const Geometry geometry = one_plane(15, 32, 128);
    FtlParams params = params_of(GcPace::kPaced, 0.49, 11);
    DftlParams own = own_params<DftlParams>(params);
    own.write_shim = own.lazy_invalidate = true;
    params.own = own;
    params.gc_shared_frontier = true;
    params.gc_policy = find_victim_policy("random");
    params.gc_low = 2;
    params.gc_high = 3;
    params.seed = 291;
    Dftl ftl(geometry, params, nullptr);
    Random random(params.seed);
    FlashOpList ops;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        ops.clear();
        const Lpn lpn{i % ftl.logical_pages()};
        if (random.below(100) < 6) {
            (void)ftl.read(lpn, ops);
        } else {
            ASSERT_NO_THROW(ftl.write(lpn, PlaneId{0}, ops)) << i;
        }
    }
    EXPECT_GT(ftl.check_invariants(), 0u);
}

} // namespace
} // namespace cavern::testing
