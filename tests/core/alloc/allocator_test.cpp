#include "core/alloc/adaptive.h"
#include "core/alloc/allocator_table.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/alloc/allocator_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::place;
using testing::Space;

TEST(AllocatorTableTest, RowsHaveOneNameAndOneSentenceEach) {
    std::set<std::string> names;
    for (const AllocatorRow& row : allocator_table()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(row.description.back(), '.');
    }
    EXPECT_EQ(std::count_if(names.begin(), names.end(),
                            [](const std::string& name) { return name.size() == 4; }),
              24);
    EXPECT_EQ(find_allocator("cwdx"), nullptr);
}

TEST(AllocatorTableTest, BlockRoundRobinIsMadeInTheModeNamed) {
    Space space;
    const AllocatorContext context{geometry_of(4, 1, 1, 16, 4), space};
    const AllocatorRow& row = *find_allocator("block-round-robin");
    const auto second_die = [&](const SchemeParams& params) {
        const auto allocator = row.make(context, params);
        place(*allocator, {0});
        return place(*allocator, {1})[0];
    };
    EXPECT_EQ(second_die(BlockRoundRobinParams{RoundRobinMode::kFree}), PlaneId{1});
    EXPECT_EQ(second_die(BlockRoundRobinParams{RoundRobinMode::kSticky}), PlaneId{0});
    EXPECT_EQ(row.mode_of(BlockRoundRobinParams{RoundRobinMode::kMove}), RoundRobinMode::kMove);
    EXPECT_EQ(find_allocator("stripe-page")->mode_of({}), RoundRobinMode::kSticky);
    EXPECT_THROW((void)row.make(context, AdaptiveParams{}), ModelError);
}

} // namespace
} // namespace cavern
