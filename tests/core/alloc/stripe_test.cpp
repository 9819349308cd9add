// Places that follow from the address alone: stripe-page, the page orders, stripe-block.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/alloc/allocator_table.h"
#include "core/alloc/page_order.h"
#include "core/alloc/stripe_block.h"
#include "core/base/error.h"
#include "tests/core/alloc/allocator_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::place;
using testing::Space;

// docs/algorithms.md, STR-1, the page half: C = 4, W = 2.
TEST(StripePageTest, WorkedExampleGivesChannelAndWay) {
    const Geometry geometry = geometry_of(4, 2, 1, 16, 4);
    Space space;
    const auto stripe = find_allocator("stripe-page")->make({geometry, space});
    const std::vector<PlaneId> planes = place(*stripe, {9, 21});
    for (const PlaneId plane : planes) {
        EXPECT_EQ(raw(geometry.channel_of(geometry.die_of(plane))), 1u);
    }
    EXPECT_EQ(raw(geometry.way_of(geometry.die_of(planes[0]))), 0u);
    EXPECT_EQ(raw(geometry.way_of(geometry.die_of(planes[1]))), 1u);
}

/// (channel, way, die, plane)
using Address = std::array<std::uint32_t, 4>;

// docs/algorithms.md, CWDP-1: C = 4, W = 2, D = 2, P = 2.
class PageOrderTest : public ::testing::Test {
  protected:
    PageOrderTest() {
        geometry = geometry_of(4, 2, 2, 16, 4);
        geometry.dies_per_way = 2;
    }
    [[nodiscard]] Address address(const char* order, std::uint64_t lpn) const {
        const PlaneId plane = PageOrder(geometry, order).plane_of(Lpn{lpn});
        const DieId die = geometry.die_of(plane);
        return {raw(geometry.channel_of(die)), raw(geometry.way_of(die)),
                geometry.slot_of(die) / geometry.ways, geometry.plane_in_die(plane)};
    }
    Geometry geometry;
};

TEST_F(PageOrderTest, WorkedExampleOfCwdp) {
    EXPECT_EQ(address("cwdp", 0), (Address{0, 0, 0, 0}));
    EXPECT_EQ(address("cwdp", 1), (Address{1, 0, 0, 0}));
    EXPECT_EQ(address("cwdp", 5), (Address{1, 1, 0, 0}));
    EXPECT_EQ(address("cwdp", 13), (Address{1, 1, 1, 0}));
    EXPECT_EQ(address("cwdp", 31), (Address{3, 1, 1, 1}));
    EXPECT_EQ(address("cwdp", 32), (Address{0, 0, 0, 0}));
}

TEST_F(PageOrderTest, WorkedExampleOfPdwc) {
    EXPECT_EQ(address("pdwc", 1), (Address{0, 0, 0, 1}));
    EXPECT_EQ(address("pdwc", 5), (Address{0, 1, 0, 1}));
    EXPECT_EQ(address("pdwc", 13), (Address{1, 1, 0, 1}));
}

TEST_F(PageOrderTest, EveryOrderGivesEveryPlaneTheSameShareAndVariesItsFirstLetterFirst) {
    const std::map<char, std::size_t> position{{'c', 0}, {'w', 1}, {'d', 2}, {'p', 3}};
    std::set<std::vector<PlaneId>> sequences;
    Space space;
    for (const AllocatorRow& row : allocator_table()) {
        if (row.name.size() != 4) {
            continue;
        }
        const auto allocator = row.make({geometry, space});
        std::vector<std::uint64_t> lpns(64);
        for (std::uint64_t i = 0; i < lpns.size(); ++i) {
            lpns[i] = i;
        }
        const std::vector<PlaneId> planes = place(*allocator, lpns);
        std::map<PlaneId, int> share;
        for (const PlaneId plane : planes) {
            ++share[plane];
        }
        EXPECT_EQ(share.size(), 32u) << row.name;
        EXPECT_TRUE(std::all_of(share.begin(), share.end(), [](const auto& entry) {
            return entry.second == 2;
        })) << row.name;
        const Address next = address(row.name.c_str(), 1);
        for (const auto& [letter, i] : position) {
            EXPECT_EQ(next[i], letter == row.name[0] ? 1u : 0u) << row.name;
        }
        sequences.insert(planes);
    }
    EXPECT_EQ(sequences.size(), 24u); // no two orders are the same
}

TEST_F(PageOrderTest, WordsThatAreNoPermutationAreRefused) {
    for (const char* order : {"", "cwd", "cwdd", "cwdpc", "CWDP"}) {
        EXPECT_THROW(PageOrder(geometry, order), ModelError) << order;
    }
}

// ---- stripe-block -------------------------------------------------------------------------------

// docs/algorithms.md, STR-1, the block half: C = 4, W = 2, Np = 4.
TEST(StripeBlockTest, WorkedExampleGivesChannelAndWay) {
    const Geometry geometry = geometry_of(4, 2, 1, 16, 4);
    Space space;
    const auto stripe = find_allocator("stripe-block")->make({geometry, space});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (const PlaneId plane : place(*stripe, {9, 21})) {
        const DieId die = geometry.die_of(plane);
        places.emplace_back(raw(geometry.channel_of(die)), raw(geometry.way_of(die)));
    }
    EXPECT_EQ(places, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 0}, {1, 1}}));
    EXPECT_EQ(stripe->destination(Lpn{21}), geometry.die(ChannelId{1}, WayId{1}));
}

TEST(StripeBlockTest, NeighbouringPagesLieInNeighbouringPlanesAndBlocksBeginAtEach) {
    const Geometry geometry = geometry_of(2, 1, 3, 16, 8);
    const StripeBlock stripe(geometry);
    for (std::uint64_t lbn = 0; lbn < 12; ++lbn) {
        for (std::uint64_t page = 0; page < 8; ++page) {
            EXPECT_EQ(geometry.plane_in_die(stripe.plane_of(Lpn{lbn * 8 + page})),
                      (lbn / 2 + page) % 3);
        }
    }
}

TEST(StripeBlockTest, PlanesGetEqualSharesAndBlocksOneDie) {
    Geometry geometry = geometry_of(2, 2, 3, 16, 8); // 8 pages on 3 planes
    geometry.dies_per_way = 2;
    StripeBlock stripe(geometry);
    std::map<PlaneId, int> share;
    for (std::uint64_t lbn = 0; lbn < 8 * 3 * 5; ++lbn) {
        std::set<DieId> dies;
        for (std::uint64_t page = 0; page < 8; ++page) {
            const PlaneId plane = stripe.plane_of(Lpn{lbn * 8 + page});
            dies.insert(geometry.die_of(plane));
            ++share[plane];
        }
        EXPECT_EQ(dies, std::set<DieId>{DieId{static_cast<std::uint32_t>(lbn % 8)}});
    }
    EXPECT_EQ(share.size(), 24u);
    for (const auto& [plane, pages] : share) {
        EXPECT_EQ(pages, 40) << raw(plane);
    }
}

} // namespace
} // namespace cavern
