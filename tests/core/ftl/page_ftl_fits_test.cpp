#include "core/ftl/page_ftl_why_not.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/ftl/ftl_table.h"
#include "core/ftl/ftl_why_not.h"
#include "core/ftl/victim_policy_table.h"
#include "core/ftl/zoned.h"
#include "tests/core/ftl/ftl_cases.h"
#include "tests/core/ftl/page_ftl_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::page_params;

TEST(PageFtlFitsTest, LogicalPagesAreTheRawOnesLessTheShareRoundedDown) {
    const Geometry hundred = geometry_of(1, 1, 1, 25, 4);
    EXPECT_EQ(page_ftl_logical_pages(hundred, 0.07), 93u); // 1 - 0.07 is below 0.93 in binary
    EXPECT_EQ(page_ftl_logical_pages(hundred, 0.075), 92u);
    EXPECT_EQ(page_ftl_logical_pages(hundred, 0.0), 100u);
}

TEST(PageFtlFitsTest, SpareBlocksAreCountedPerPlane) {
    // 4 planes of 40 blocks; gc_high + 2 = 4 spare blocks are a tenth.
    const Geometry geometry = geometry_of(2, 1, 2, 40, 8);
    EXPECT_EQ(page_ftl_why_not(geometry, page_params(0.1, 1, 2)), std::nullopt);
    const std::string problem = page_ftl_why_not(geometry, page_params(0.0992, 1, 2)).value_or("");
    EXPECT_EQ(problem, "ftl.overprovision leaves 3 spare blocks per plane of 40; 4 are needed "
                       "(ftl.gc_high + 2), a share of at least 0.1000");
    EXPECT_NE(page_ftl_why_not(geometry, page_params(0.1, 1, 3)), std::nullopt);
    EXPECT_EQ(page_ftl_why_not(geometry, page_params(0.125, 1, 3)), std::nullopt);
}

TEST(FtlFitsTest, AReserveOfAllBlocksLeavesNoneForData) {
    const Geometry geometry = geometry_of(1, 1, 1, 4, 8);
    EXPECT_EQ(spare_fits(geometry, 1, 3, "three"), std::nullopt);
    EXPECT_EQ(spare_fits(geometry, 1, 4, "four"),
              "4 blocks per plane are too few for a reserve of 4 (four); at least 5, or a smaller "
              "reserve");
}

TEST(PageFtlFitsTest, TheShareNamedIsEnough) {
    for (std::uint32_t blocks = 6; blocks < 400; ++blocks) {
        const Geometry geometry = geometry_of(3, 1, 1, blocks, 7);
        const std::string problem =
            page_ftl_why_not(geometry, page_params(0.0, 1, 3)).value_or("0");
        const double named = std::stod(problem.substr(problem.rfind(' ')));
        EXPECT_EQ(page_ftl_why_not(geometry, page_params(named, 1, 3)), std::nullopt) << blocks;
    }
}

TEST(PageFtlFitsTest, EveryOtherProblemIsNamedWithWhatWouldBeRight) {
    const Geometry good = geometry_of(1, 1, 1, 40, 8);
    FtlParams policy = page_params(0.2, 1, 2);
    policy.gc_policy = nullptr;
    const std::vector<std::pair<std::optional<std::string>, std::string>> problems{
        {page_ftl_why_not(geometry_of(1, 1, 1, 8, 65536), page_params(0.5, 1, 2)), "65535"},
        {page_ftl_why_not(geometry_of(8, 8, 8, 65536, 4096), page_params(0.5, 1, 2)), "2^36"},
        {page_ftl_why_not(good, page_params(0.2, 0, 2)), "ftl.gc_low"},
        {page_ftl_why_not(good, page_params(0.2, 2, 2)), "ftl.gc_high"},
        {page_ftl_why_not(good, policy), "no ftl.gc_policy"},
        {page_ftl_why_not(good, page_params(1.0, 1, 2)), "ftl.overprovision"},
        {page_ftl_why_not(good, page_params(-0.1, 1, 2)), "ftl.overprovision"},
        {page_ftl_why_not(geometry_of(1, 1, 1, 4, 8), page_params(0.2, 1, 2)), "at least 5"},
        {page_ftl_why_not(good, page_params(0.9999, 1, 2)), "no page to export"}};
    for (const auto& [problem, word] : problems) {
        ASSERT_TRUE(problem.has_value()) << word;
        EXPECT_NE(problem->find(word), std::string::npos) << *problem;
        EXPECT_NE(problem->find("; "), std::string::npos) << *problem;
    }
}

TEST(FtlTableTest, RowsMakeWhatTheyNameAndDescribeIt) {
    for (const FtlRow& row : ftl_table()) {
        EXPECT_EQ(row.description.back(), '.');
        EXPECT_EQ(find_ftl(row.name), &row);
    }
    for (const VictimPolicyRow& row : victim_policy_table()) {
        EXPECT_EQ(row.description.back(), '.');
        EXPECT_EQ(find_victim_policy(row.name), &row);
    }
    EXPECT_EQ(find_ftl("pages"), nullptr);
    const Geometry geometry = geometry_of(1, 1, 1, 10, 4);
    EXPECT_EQ(find_ftl("page")->why_not(geometry, page_params(0.5, 1, 2)), std::nullopt);
    const auto ftl = find_ftl("page")->make(geometry, page_params(0.5, 1, 2), nullptr);
    EXPECT_EQ(ftl->logical_pages(), 20u);
}

TEST(FtlTableTest, LogicalPagesAreKnownBeforeALayerIsBuilt) {
    std::vector<testing::FtlCase> cases = testing::ftl_cases();
    testing::FtlCase zoned = cases.front();
    zoned.row = find_ftl("zoned");
    zoned.params.own = own_params<ZonedParams>(zoned.params);
    cases.push_back(zoned);
    for (const testing::FtlCase& each : cases) {
        const std::uint64_t built =
            each.row->make(each.geometry, each.params, nullptr)->logical_pages();
        EXPECT_EQ(logical_pages(*each.row, each.geometry, each.params), built) << each.name();
    }
    EXPECT_GT(cases.size(), 20u);
}

} // namespace
} // namespace cavern
