#include "core/alloc/block_round_robin.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/core/alloc/allocator_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::place;
using testing::RecordingLog;
using testing::Space;

using Lines = std::vector<std::string>;

/// docs/algorithms.md, RR-1: C = 4, W = 1, victim blocks 7, 3, 7, 9, 3, 5, one batch each.
Lines run_rr_1(RoundRobinMode mode) {
    const Geometry geometry = geometry_of(4, 1, 1, 16, 4);
    Space space;
    RecordingLog log;
    BlockRoundRobin allocator(geometry, mode, space, &log);
    for (const std::uint64_t lbn : {7, 3, 7, 9, 3, 5}) {
        const std::vector<PlaneId> planes = place(allocator, {lbn * 4, lbn * 4 + 2});
        EXPECT_EQ(planes[0], planes[1]);
        EXPECT_EQ(geometry.die_of(planes[0]), allocator.home(Lbn{lbn}));
    }
    return log.lines;
}

TEST(BlockRoundRobinTest, FreeModeTakesTheNextDieEachTime) {
    EXPECT_EQ(run_rr_1(RoundRobinMode::kFree),
              (Lines{"allocate 7 -> 0", "allocate 3 -> 1", "allocate 7 -> 2 from 0",
                     "allocate 9 -> 3", "allocate 3 -> 0 from 1", "allocate 5 -> 1"}));
}

TEST(BlockRoundRobinTest, StickyModeKeepsTheFirstDieAndItsTurn) {
    EXPECT_EQ(run_rr_1(RoundRobinMode::kSticky),
              (Lines{"allocate 7 -> 0", "allocate 3 -> 1", "allocate 7 -> 0", "allocate 9 -> 2",
                     "allocate 3 -> 1", "allocate 5 -> 3"}));
}

TEST(BlockRoundRobinTest, ADieGivenAgainIsNotAMove) {
    Space space;
    RecordingLog log;
    BlockRoundRobin allocator(geometry_of(2, 1, 1, 16, 4), RoundRobinMode::kFree, space, &log);
    for (const std::uint64_t lpn : {0, 4, 0}) {
        place(allocator, {lpn});
    }
    EXPECT_EQ(log.lines.back(), "allocate 0 -> 0");
}

TEST(BlockRoundRobinTest, PagesOfABlockInOneBatchShareADieThoughApart) {
    const Geometry geometry = geometry_of(4, 2, 1, 16, 4);
    Space space;
    for (const RoundRobinMode mode : {RoundRobinMode::kSticky, RoundRobinMode::kFree}) {
        BlockRoundRobin allocator(geometry, mode, space, nullptr);
        const std::vector<PlaneId> planes = place(allocator, {1, 9, 2, 20, 11, 0});
        EXPECT_EQ(planes, (std::vector<PlaneId>{PlaneId{0}, PlaneId{1}, PlaneId{0}, PlaneId{2},
                                                PlaneId{1}, PlaneId{0}}));
    }
}

TEST(BlockRoundRobinTest, ChannelsVaryBeforeWays) {
    const Geometry geometry = geometry_of(2, 3, 1, 16, 4);
    Space space;
    BlockRoundRobin allocator(geometry, RoundRobinMode::kFree, space, nullptr);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint64_t lbn = 0; lbn < 6; ++lbn) {
        const DieId die = geometry.die_of(place(allocator, {lbn * 4})[0]);
        places.emplace_back(raw(geometry.channel_of(die)), raw(geometry.way_of(die)));
    }
    EXPECT_EQ(places, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                          {0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}));
}

TEST(BlockRoundRobinTest, PagesTakeThePlanesOfTheirDieInTurn) {
    Space space;
    BlockRoundRobin allocator(geometry_of(2, 1, 4, 16, 8), RoundRobinMode::kSticky, space, nullptr);
    EXPECT_EQ(place(allocator, {0, 1, 2, 3, 4, 5}),
              (std::vector<PlaneId>{PlaneId{0}, PlaneId{1}, PlaneId{2}, PlaneId{3}, PlaneId{0},
                                    PlaneId{1}}));
    EXPECT_EQ(place(allocator, {8, 9}), (std::vector<PlaneId>{PlaneId{4}, PlaneId{5}}));
    EXPECT_EQ(place(allocator, {6, 7}), (std::vector<PlaneId>{PlaneId{2}, PlaneId{3}}));
}

TEST(BlockRoundRobinTest, FullDiesAndPlanesArePassedOver) {
    const Geometry geometry = geometry_of(3, 1, 2, 16, 4);
    Space space;
    RecordingLog log;
    BlockRoundRobin allocator(geometry, RoundRobinMode::kSticky, space, &log);
    place(allocator, {0});
    space.full = {PlaneId{1}, PlaneId{2}, PlaneId{3}}; // half of die 0, all of die 1
    EXPECT_EQ(place(allocator, {1, 2}), (std::vector<PlaneId>{PlaneId{0}, PlaneId{0}}));
    EXPECT_EQ(place(allocator, {4}), (std::vector<PlaneId>{PlaneId{4}}));
    space.full.insert(PlaneId{0}); // the home of logical block 0 is full: it moves even if sticky
    EXPECT_EQ(place(allocator, {3}), (std::vector<PlaneId>{PlaneId{5}}));
    EXPECT_EQ(log.lines.back(), "allocate 0 -> 2 from 0");
    space.full.insert({PlaneId{4}, PlaneId{5}});
    EXPECT_THROW(place(allocator, {8}), ModelError);
}

/// First step at which `allocator` and dictionaries differ; -1 if none.
int first_difference(AllocatorIf& allocator, Space& space, const Geometry& geometry,
                     RoundRobinMode mode, int batches) {
    std::map<std::uint64_t, std::uint32_t> homes;
    std::vector<std::uint32_t> plane_turn(geometry.dies(), 0);
    std::uint32_t turn = 0;
    const auto room = [&](std::uint32_t die) {
        for (std::uint32_t p = 0; p < geometry.planes_per_die; ++p) {
            if (space.has_room(geometry.plane(DieId{die}, p), Lpn{0})) {
                return true;
            }
        }
        return false;
    };
    Random random(raw(geometry.plane(DieId{0}, 0)) + geometry.dies());
    for (int step = 0; step < batches; ++step) {
        space.full.clear();
        // Now and then up to half of the planes are full, never plane 0.
        for (std::uint64_t n = step % 4 == 0 ? random.below(geometry.planes() / 2 + 1) : 0; n > 0;
             --n) {
            space.full.insert(
                PlaneId{1 + static_cast<std::uint32_t>(random.below(geometry.planes() - 1))});
        }
        std::vector<std::uint64_t> lpns;
        for (std::uint64_t n = 1 + random.below(8); n > 0; --n) {
            lpns.push_back(random.below(200));
        }
        std::map<std::uint64_t, std::uint32_t> batch;
        std::vector<PlaneId> expected;
        for (const std::uint64_t lpn : lpns) {
            const std::uint64_t lbn = lpn / geometry.pages_per_block;
            if (batch.count(lbn) == 0) {
                std::uint32_t die = 0;
                if (mode == RoundRobinMode::kSticky && homes.count(lbn) == 1 && room(homes[lbn])) {
                    die = homes[lbn];
                } else {
                    while (!room(turn % geometry.dies())) {
                        ++turn;
                    }
                    die = turn++ % geometry.dies();
                }
                batch[lbn] = homes[lbn] = die;
            }
            const std::uint32_t die = batch[lbn];
            PlaneId plane{};
            do {
                plane = geometry.plane(DieId{die}, plane_turn[die]++ % geometry.planes_per_die);
            } while (!space.has_room(plane, Lpn{0}));
            expected.push_back(plane);
        }
        if (place(allocator, lpns) != expected) {
            return step;
        }
    }
    return -1;
}

TEST(BlockRoundRobinTest, AgreesWithDictionariesOverAMillionPages) {
    for (const Geometry& geometry : {geometry_of(4, 2, 1, 16, 4), geometry_of(2, 3, 4, 16, 4)}) {
        for (const RoundRobinMode mode : {RoundRobinMode::kSticky, RoundRobinMode::kFree}) {
            Space space;
            BlockRoundRobin allocator(geometry, mode, space, nullptr);
            EXPECT_EQ(first_difference(allocator, space, geometry, mode, 60'000), -1);
        }
    }
}

TEST(BlockRoundRobinTest, TheDictionariesNoticeTheOtherMode) {
    const Geometry geometry = geometry_of(4, 2, 2, 16, 4);
    Space space;
    BlockRoundRobin allocator(geometry, RoundRobinMode::kFree, space, nullptr);
    EXPECT_GE(first_difference(allocator, space, geometry, RoundRobinMode::kSticky, 1000), 0);
}

TEST(BlockRoundRobinTest, OnlyAStickyBlockSaysWhereItsPagesWillGo) {
    for (const RoundRobinMode mode : {RoundRobinMode::kSticky, RoundRobinMode::kFree,
                                      RoundRobinMode::kMove, RoundRobinMode::kGather}) {
        Space space;
        const Geometry geometry = geometry_of(2, 1, 1, 16, 8);
        BlockRoundRobin allocator(geometry, mode, space, nullptr);
        EXPECT_EQ(allocator.destination(Lpn{8}), std::nullopt);
        place(allocator, {0});
        const PlaneId home = place(allocator, {8})[0];
        EXPECT_EQ(home, PlaneId{1});
        const bool keeps = mode == RoundRobinMode::kSticky;
        EXPECT_EQ(allocator.destination(Lpn{9}), keeps ? std::optional(DieId{1}) : std::nullopt);
        EXPECT_EQ(place(allocator, {9})[0] == home, keeps);
        space.full.insert(PlaneId{1});
        EXPECT_EQ(allocator.destination(Lpn{9}), std::nullopt);
    }
}

} // namespace
} // namespace cavern
