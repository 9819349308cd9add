// Places that follow from what the dies have to do: least-loaded, adaptive.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/alloc/adaptive.h"
#include "core/alloc/least_loaded.h"
#include "core/base/error.h"
#include "tests/core/alloc/allocator_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::place;
using testing::RecordingLog;
using testing::Space;

using Lines = std::vector<std::string>;

// ---- least-loaded -------------------------------------------------------------------------------

void give(DieLoad& load, const std::vector<std::uint32_t>& pending) {
    for (std::uint32_t die = 0; die < pending.size(); ++die) {
        for (std::uint32_t i = 0; i < pending[die]; ++i) {
            load.submitted(DieId{die});
        }
    }
}

/// docs/algorithms.md, LL-1: pending 3, 1, 1, 2, last pick 2.
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

// docs/algorithms.md, ADK-1: C = 8.
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

} // namespace
} // namespace cavern
