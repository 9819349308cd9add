#include "core/alloc/allocator_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "core/alloc/adaptive.h"
#include "core/alloc/least_loaded.h"
#include "core/alloc/page_order.h"
#include "core/alloc/stripe_block.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/unit/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::RecordingLog;

using Lines = std::vector<std::string>;

/// Planes have room unless listed.
class Space final : public SpaceIf {
  public:
    [[nodiscard]] bool has_room(PlaneId plane, Lpn) const override {
        return full.count(plane) == 0;
    }
    std::set<PlaneId> full;
};

std::vector<PlaneId> place(AllocatorIf& allocator, const std::vector<std::uint64_t>& lpns) {
    std::vector<Lpn> pages;
    for (const std::uint64_t lpn : lpns) {
        pages.push_back(Lpn{lpn});
    }
    std::vector<PlaneId> planes(pages.size());
    allocator.place(pages.data(), pages.size(), planes.data());
    return planes;
}

/// ALGORITHMS example RR-1: C = 4, W = 1, victim blocks 7, 3, 7, 9, 3, 5, one batch each.
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

// ALGORITHMS example STR-1, the page half: C = 4, W = 2.
TEST(StripePageTest, WorkedExampleGivesChannelAndWay) {
    const Geometry geometry = geometry_of(4, 2, 1, 16, 4);
    Space space;
    AllocatorParams params;
    params.geometry = geometry;
    const auto stripe = find_allocator("stripe-page")->make("stripe-page", params, space, nullptr);
    const std::vector<PlaneId> planes = place(*stripe, {9, 21});
    for (const PlaneId plane : planes) {
        EXPECT_EQ(raw(geometry.channel_of(geometry.die_of(plane))), 1u);
    }
    EXPECT_EQ(raw(geometry.way_of(geometry.die_of(planes[0]))), 0u);
    EXPECT_EQ(raw(geometry.way_of(geometry.die_of(planes[1]))), 1u);
}

/// (channel, way, die, plane)
using Address = std::array<std::uint32_t, 4>;

// ALGORITHMS example CWDP-1: C = 4, W = 2, D = 2, P = 2.
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
        AllocatorParams params;
        params.geometry = geometry;
        const auto allocator = row.make(row.name, params, space, nullptr);
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

// ALGORITHMS example STR-1, the block half: C = 4, W = 2, Np = 4.
TEST(StripeBlockTest, WorkedExampleGivesChannelAndWay) {
    const Geometry geometry = geometry_of(4, 2, 1, 16, 4);
    Space space;
    AllocatorParams params;
    params.geometry = geometry;
    const auto stripe =
        find_allocator("stripe-block")->make("stripe-block", params, space, nullptr);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (const PlaneId plane : place(*stripe, {9, 21})) {
        const DieId die = geometry.die_of(plane);
        places.emplace_back(raw(geometry.channel_of(die)), raw(geometry.way_of(die)));
    }
    EXPECT_EQ(places, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 0}, {1, 1}}));
    EXPECT_EQ(stripe->destination(Lpn{21}), geometry.die(ChannelId{1}, WayId{1}));
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

// ---- least-loaded -------------------------------------------------------------------------------

void give(DieLoad& load, const std::vector<std::uint32_t>& pending) {
    for (std::uint32_t die = 0; die < pending.size(); ++die) {
        for (std::uint32_t i = 0; i < pending[die]; ++i) {
            load.submitted(DieId{die});
        }
    }
}

/// ALGORITHMS example LL-1: pending 3, 1, 1, 2, last pick 2.
class LeastLoadedTest : public ::testing::Test {
  protected:
    LeastLoadedTest() {
        place(allocator_, {0, 0, 0}); // dies 0, 1, 2 while all are idle
        give(load_, {3, 1, 1, 2});
    }
    Geometry geometry_ = geometry_of(4, 1, 1, 16, 4);
    Space space_;
    DieLoad load_{4};
    LeastLoaded allocator_{geometry_, &load_, space_};
};

TEST_F(LeastLoadedTest, WorkedExampleInOneBatchCountsItsOwnPlacements) {
    EXPECT_EQ(place(allocator_, {0, 1, 2}),
              (std::vector<PlaneId>{PlaneId{1}, PlaneId{2}, PlaneId{3}}));
}

TEST_F(LeastLoadedTest, WorkedExampleInBatchesOfOneLooksAtTheLoad) {
    for (const std::uint32_t die : {1u, 2u, 3u}) {
        EXPECT_EQ(place(allocator_, {0}), std::vector<PlaneId>{PlaneId{die}});
        load_.submitted(DieId{die});
    }
    // 3, 2, 2, 3: the next after die 3 with two.
    EXPECT_EQ(place(allocator_, {0}), std::vector<PlaneId>{PlaneId{1}});
    load_.completed(DieId{2});
    EXPECT_EQ(place(allocator_, {0}), std::vector<PlaneId>{PlaneId{2}});
}

TEST_F(LeastLoadedTest, DiesWithoutRoomArePassedOver) {
    space_.full = {PlaneId{1}, PlaneId{2}};
    EXPECT_EQ(place(allocator_, {0, 1, 2}),
              (std::vector<PlaneId>{PlaneId{3}, PlaneId{0}, PlaneId{3}}));
    space_.full = {PlaneId{0}, PlaneId{1}, PlaneId{2}, PlaneId{3}};
    EXPECT_THROW(place(allocator_, {0}), ModelError);
}

TEST(LeastLoadedWithoutTimeTest, DiesTakeTurnsAndSoDoTheirPlanes) {
    Space space;
    LeastLoaded allocator(geometry_of(2, 1, 2, 16, 4), nullptr, space);
    EXPECT_EQ(place(allocator, {5, 5, 5, 5, 5}),
              (std::vector<PlaneId>{PlaneId{0}, PlaneId{2}, PlaneId{1}, PlaneId{3}, PlaneId{0}}));
}

// ---- adaptive -----------------------------------------------------------------------------------

// ALGORITHMS example ADK-1: C = 8.
TEST(StripeWidthTest, WorkedExample) {
    EXPECT_EQ(next_stripe_width(1, 8, 30, 10, 0.1), 2u);
    EXPECT_EQ(next_stripe_width(4, 8, 10, 30, 0.1), 2u);
    EXPECT_EQ(next_stripe_width(4, 8, 10, 10.5, 0.1), 4u);
    EXPECT_EQ(next_stripe_width(8, 8, 30, 1, 0.1), 8u);
}

TEST(StripeWidthTest, StaysWithinOneAndAllChannels) {
    EXPECT_EQ(next_stripe_width(1, 8, 1, 30, 0.1), 1u);
    EXPECT_EQ(next_stripe_width(1, 1, 30, 1, 0.1), 1u);
    EXPECT_EQ(next_stripe_width(4, 8, 0, 0, 0.1), 4u); // nothing was measured
    EXPECT_EQ(next_stripe_width(4, 6, 30, 1, 0.1), 6u);
    EXPECT_EQ(next_stripe_width(6, 6, 1, 30, 0.1), 4u);
    // Larger by the hysteresis is not enough.
    EXPECT_EQ(next_stripe_width(4, 8, 12.5, 10, 0.25), 4u);
    EXPECT_EQ(next_stripe_width(4, 8, 12.6, 10, 0.25), 8u);
}

class AdaptiveTest : public ::testing::Test {
  protected:
    AdaptiveTest() { params_.epoch = 100; }
    /// Channels of the first `count` pages of a logical block that leave together.
    std::vector<std::uint32_t> channels(std::uint64_t lbn, std::uint64_t count = 8) {
        std::vector<std::uint64_t> lpns;
        for (std::uint64_t i = 0; i < count; ++i) {
            lpns.push_back(lbn * 8 + i);
        }
        std::vector<std::uint32_t> channels;
        for (const PlaneId plane : place(*allocator_, lpns)) {
            channels.push_back(raw(geometry_.channel_of(geometry_.die_of(plane))));
        }
        return channels;
    }
    using Channels = std::vector<std::uint32_t>;
    Geometry geometry_ = geometry_of(4, 2, 1, 16, 8);
    Space space_;
    RecordingLog log_;
    DieLoad load_{8};
    Adaptive::Params params_;
    std::unique_ptr<Adaptive> allocator_;
};

TEST_F(AdaptiveTest, ABlockGrowsFromOneChannelAsHostPagesWait) {
    allocator_ = std::make_unique<Adaptive>(geometry_, params_, &load_, space_, &log_);
    EXPECT_TRUE(load_.measures());
    EXPECT_EQ(channels(5), (Channels{0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(channels(6), (Channels{1, 1, 1, 1, 1, 1, 1, 1}));
    load_.add({99, 1000 * kUs, 100 * kUs});
    EXPECT_EQ(channels(6, 2), (Channels{1, 1})); // the epoch has not passed
    load_.add({1, 0, 0});
    EXPECT_EQ(channels(6, 4), (Channels{1, 2, 1, 2}));
    EXPECT_EQ(allocator_->width_of(Lbn{5}), 1u); // not written since
    load_.add({100, 1000 * kUs, 100 * kUs});
    EXPECT_EQ(channels(6), (Channels{1, 2, 3, 0, 1, 2, 3, 0}));
    EXPECT_EQ(channels(5, 4), (Channels{0, 1, 2, 3}));
    load_.add({100, 100 * kUs, 1000 * kUs});
    EXPECT_EQ(channels(6, 4), (Channels{1, 2, 1, 2}));
    EXPECT_EQ(allocator_->width_of(Lbn{6}), 2u);
    EXPECT_EQ(allocator_->width_of(Lbn{7}), std::nullopt);
    // A block's home is given once.
    EXPECT_EQ(log_.lines, (Lines{"allocate 5 -> 0", "allocate 6 -> 1"}));
}

TEST_F(AdaptiveTest, TheEpochCountsOnlyWhatPassedInIt) {
    load_.add({0, 5000 * kUs, 0});
    allocator_ = std::make_unique<Adaptive>(geometry_, params_, &load_, space_, nullptr);
    load_.add({100, 0, 0});
    (void)channels(0);
    EXPECT_EQ(allocator_->width(), 2u); // all since the beginning
    load_.add({100, 100 * kUs, 105 * kUs});
    (void)channels(0);
    EXPECT_EQ(allocator_->width(), 2u); // neither is larger by a tenth
}

TEST_F(AdaptiveTest, AWayIsKeptAndFullDiesArePassedOver) {
    params_.epoch = 1;
    allocator_ = std::make_unique<Adaptive>(geometry_, params_, &load_, space_, nullptr);
    for (std::uint64_t lbn = 0; lbn < 5; ++lbn) { // block 4 has die 4: channel 0, way 1
        (void)channels(lbn, 1);
    }
    load_.add({1, kUs, 0});
    EXPECT_EQ(place(*allocator_, {32, 33, 34}),
              (std::vector<PlaneId>{PlaneId{4}, PlaneId{5}, PlaneId{4}}));
    space_.full = {PlaneId{5}};
    EXPECT_EQ(place(*allocator_, {32, 33, 34}),
              (std::vector<PlaneId>{PlaneId{4}, PlaneId{6}, PlaneId{4}}));
}

// ---- what waiting and collecting cost -----------------------------------------------------------

TimePs g_now = 0;

class DieLoadTest : public ::testing::Test {
  protected:
    DieLoadTest() {
        g_now = 0;
        load_.measure();
        load_.follow([] { return g_now; });
    }
    DieLoad load_{2};
};

TEST_F(DieLoadTest, AHostPageWaitsWhileItsDieIsBusyAndAnotherIsIdle) {
    const DieId a{0};
    const DieId b{1};
    load_.submitted(a, true);
    load_.started(a, 1, false);
    g_now = 10;
    load_.submitted(a, true); // waits from 10 on
    load_.submitted(a, true); // and another
    g_now = 30;
    EXPECT_EQ(load_.idle_dies(), 1u);
    load_.submitted(b, true); // no die is idle from 30 on: 2 * 20
    load_.started(b, 1, false);
    g_now = 100;
    load_.ended(b);
    load_.completed(b); // idle again
    g_now = 110;        // 2 * 10
    load_.ended(a);
    load_.completed(a);
    load_.started(a, 1, false);
    g_now = 115; // 1 * 5
    load_.ended(a);
    load_.completed(a);
    g_now = 215; // the last one waits for nothing but its data: its die is not busy
    load_.started(a, 1, false);
    EXPECT_EQ(load_.costs().stalled, 2u * 20 + 2 * 10 + 5);
    EXPECT_EQ(load_.costs().host_pages, 4u);
    EXPECT_EQ(load_.costs().collecting, 0u);
}

TEST_F(DieLoadTest, CollectionIsTheTimeThatDiesSpendOnIt) {
    load_.submitted(DieId{0});
    load_.submitted(DieId{0});
    load_.started(DieId{0}, 0, true);
    g_now = 40;
    load_.ended(DieId{0});
    load_.completed(DieId{0});
    load_.started(DieId{0}, 0, false);
    g_now = 90;
    load_.ended(DieId{0});
    load_.completed(DieId{0});
    EXPECT_EQ(load_.costs().collecting, 40u);
    EXPECT_EQ(load_.costs().stalled, 0u); // nobody of the host waited
    EXPECT_THROW(load_.ended(DieId{0}), ModelError);
    EXPECT_THROW(load_.completed(DieId{0}), ModelError);
}

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
