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
    EXPECT_EQ(find_round_robin_mode("moves"), nullptr);
}

TEST(AllocatorTableTest, BlockRoundRobinIsMadeInTheModeNamed) {
    Space space;
    AllocatorParams params;
    params.geometry = geometry_of(4, 1, 1, 16, 4);
    params.rr_mode = "free";
    const auto allocator =
        find_allocator("block-round-robin")->make("block-round-robin", params, space, nullptr);
    place(*allocator, {0});
    EXPECT_EQ(place(*allocator, {1})[0], PlaneId{1});
    params.rr_mode = "moves";
    EXPECT_THROW(
        find_allocator("block-round-robin")->make("block-round-robin", params, space, nullptr),
        ModelError);
}

} // namespace
} // namespace cavern
