// Every translation layer of the table under random units, padding, trims and reads, beside a plain
// dictionary and an array that refuses what NAND forbids. A new row is covered without a change
// here, with the drives, victim policies and options that it has.

#include <gtest/gtest.h>

#include "core/ftl/dftl.h"
#include "tests/core/ftl/ftl_workload.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

// At night; a quarter of that by day.
constexpr int kSteps = 200'000;      // in each of six drives
constexpr int kOptionSteps = 60'000; // with each policy in each drive, and each option always

/// Of so many at night: steps, or what must have happened in them.
template <typename Number>
Number share(Number at_night) {
    return nightly() ? at_night : at_night / 4;
}

std::string name_of(const ::testing::TestParamInfo<FtlCase>& test) {
    return test.param.name();
}

/// Everything a mapping cache does has happened often, if there is one.
void expect_busy_cache(const FtlIf& ftl) {
    const MapCacheIf* cache = ftl.map_cache();
    if (cache == nullptr || ftl.table_pages() == 0) {
        return;
    }
    const auto* counted = cache->own_cache_counters().as<Dftl::CacheCounters>();
    ASSERT_NE(counted, nullptr);
    const Dftl::CacheCounters& count = *counted;
    for (const std::uint64_t happened :
         {count.read_hits, count.read_misses, count.write_hits, count.write_misses, count.evictions,
          count.batches, count.gc_batches, count.lazy_copies, count.table_collections,
          count.data_collections}) {
        EXPECT_GT(happened, share(500u));
    }
    EXPECT_GT(count.batch_entries, count.batches);
    EXPECT_GE(count.gc_batch_entries, count.gc_batches);
    EXPECT_GT(count.table_copies, share(10u));
}

/// So many steps with everything looked at every 2000. Returns the facts compared.
std::uint64_t play(const FtlCase& each, FtlModel& model, FtlWorkload& workload, int steps) {
    EXPECT_EQ(each.row->why_not(each.geometry, each.params), std::nullopt);
    std::uint64_t facts = 0;
    for (int step = 1; step <= steps; ++step) {
        workload.step();
        if (step % 2000 == 0) {
            facts += model.check();
        }
    }
    EXPECT_GT(facts, static_cast<std::uint64_t>(steps) / 2000 * model.ftl().logical_pages());
    return facts;
}

// ---- drives -------------------------------------------------------------------------------------

class FtlModelTest : public ::testing::TestWithParam<FtlCase> {};

INSTANTIATE_TEST_SUITE_P(Slow, FtlModelTest, ::testing::ValuesIn(ftl_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Nightly, FtlModelTest, ::testing::ValuesIn(ftl_cases()), name_of);

TEST_P(FtlModelTest, EveryPageIsFoundInItsNewestVersionAndEveryOperationIsCounted) {
    const FtlCase& each = GetParam();
    const auto model = make_model(each, 11);
    FtlWorkload workload(each, *model);
    play(each, *model, workload, share(kSteps));
    EXPECT_GT(model->alone(), share(1'000u));
    EXPECT_GT(4 * model->foretold(), model->alone()); // FtlIf::destination compared with the write
    const FtlCounters& count = model->ftl().counters();
    EXPECT_GT(count.erases, share(10'000u));
    EXPECT_GT(count.padding_pages, share(1'000u));
    if (each.row->freedom == PlacementFreedom::kPages || model->ftl().table_pages() != 0) {
        EXPECT_GT(count.gc_pages, share(1'000u));
        expect_busy_cache(model->ftl());
        return;
    }
    EXPECT_GT(count.merges_partial, share(100u));
    if (each.row->name == "superblock") { // knows one kind of merge, and reclaims dead blocks
        EXPECT_GT(count.gc_runs, share(100u));
        return;
    }
    EXPECT_EQ(count.merges_switch > share(100u),
              each.row->name != "subgroup"); // its logs never become data
    EXPECT_GT(count.merges_full, share(100u));
    const bool chosen = each.row->freedom != PlacementFreedom::kNone && each.geometry.dies() > 1;
    EXPECT_EQ(workload.moves() > share(1'000u), chosen);
    EXPECT_EQ(count.moved_pages > share(1'000u),
              chosen && each.row->freedom == PlacementFreedom::kBlocks && !each.params.gather);
    if (each.params.gather) {
        EXPECT_EQ(count.moved_pages, 0u);
    }
}

TEST_P(FtlModelTest, TheSameRequestsAreDecidedAlikeAndOthersAreNot) {
    const FtlCase& each = GetParam();
    std::vector<std::uint64_t> prints;
    for (const int steps : {3000, 3000, 2999}) {
        const auto model = make_model(each, prints.size()); // the dies are of other speeds
        FtlWorkload workload(each, *model);
        for (int step = 0; step < steps; ++step) {
            workload.step();
        }
        while (steps == 2999 && model->fingerprint() == prints[0]) {
            model->write_unit({{Lpn{0}, PlaneId{}}}, false);
        }
        prints.push_back(model->fingerprint());
    }
    EXPECT_EQ(prints[0], prints[1]);
    EXPECT_NE(prints[0], prints[2]);
}

// ---- victim policies ----------------------------------------------------------------------------

class FtlPolicyModelTest : public ::testing::TestWithParam<FtlCase> {};

INSTANTIATE_TEST_SUITE_P(Slow, FtlPolicyModelTest, ::testing::ValuesIn(ftl_policy_cases()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Nightly, FtlPolicyModelTest, ::testing::ValuesIn(ftl_policy_cases()),
                         name_of);

TEST_P(FtlPolicyModelTest, WhicheverBlockIsTakenNothingIsLostOrCountedTwice) {
    const FtlCase& each = GetParam();
    const auto model = make_model(each, 12);
    FtlWorkload workload(each, *model);
    play(each, *model, workload, share(kOptionSteps));
    EXPECT_GT(model->ftl().counters().erases, share(1'000u));
    EXPECT_GT(model->ftl().counters().gc_pages, share(1'000u));
}

TEST(FtlPolicyCasesTest, EveryLayerThatCollectsIsThere) {
    for (const FtlRow& row : ftl_table()) {
        const bool collects = row.name == "page" || row.name == "dftl";
        EXPECT_GE(collects_by_policy(row), collects) << row.name;
    }
}

// ---- options ------------------------------------------------------------------------------------

class FtlOptionModelSlowTest : public ::testing::TestWithParam<FtlCase> {};

INSTANTIATE_TEST_SUITE_P(Table, FtlOptionModelSlowTest, ::testing::ValuesIn(ftl_option_cases()),
                         name_of);

TEST_P(FtlOptionModelSlowTest, WearFailuresAndIdleCollectionLoseNothing) {
    const FtlCase& each = GetParam();
    const auto model = make_model(each, 13);
    FtlWorkload workload(each, *model);
    play(each, *model, workload, kOptionSteps);
    // What the case is for has happened.
    const FtlCounters& count = model->ftl().counters();
    EXPECT_GT(count.erases, 1'000u);
    EXPECT_GT(count.gc_pages + count.merge_pages, 1'000u);
    EXPECT_EQ(count.wear_pages > 10, each.params.wear_leveling == WearLeveling::kStatic);
    EXPECT_EQ(workload.ahead() > 100, each.params.gc_background != 0 ||
                                          (each.row->caches_in_slc && model->ftl().maintains()));
    const BlockFaultParams& faults = each.params.faults;
    EXPECT_EQ(count.refresh_pages > 100, each.params.refreshes);
    EXPECT_EQ(count.failed_programs > 0, faults.program_failures > 0);
    EXPECT_EQ(count.rescued_pages > 0, faults.program_failures > 0);
    EXPECT_EQ(count.failed_erases > 0, faults.erase_failures > 0);
    EXPECT_EQ(model->ftl().bad_blocks().factory > 0, faults.factory_bad > 0);
}

} // namespace
} // namespace cavern::testing
