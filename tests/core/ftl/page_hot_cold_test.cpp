// Hot and cold pages and collection ahead in the page-mapping layer.

#include <cstdint>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/ftl/heat_map.h"
#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_why_not.h"
#include "tests/core/ftl/page_wear_fixture.h"
#include "tests/support/core_fixtures.h"

namespace cavern {
namespace {

using testing::geometry_of;
using testing::Lines;
using testing::params_of;
using testing::text_of;
using testing::write;

/// `share` of the writes go to a tenth of the pages.
double amplification_of(bool hot_cold, double share) {
    const Geometry geometry = geometry_of(1, 1, 1, 512, 32);
    FtlParams params = params_of(0.12);
    params.hot_cold = hot_cold;
    PageFtl ftl(geometry, params, nullptr);
    Random random(4);
    const std::uint64_t hot = ftl.logical_pages() / 10;
    const auto run = [&](int writes) {
        for (int i = 0; i < writes; ++i) {
            const bool is_hot = random.uniform() < share;
            write(ftl, is_hot ? random.below(hot) : random.below(ftl.logical_pages()));
        }
    };
    for (std::uint64_t lpn = 0; lpn < ftl.logical_pages(); ++lpn) {
        write(ftl, lpn);
    }
    run(200'000);
    ftl.reset_counters();
    run(200'000);
    return 1 + static_cast<double>(ftl.counters().gc_pages) /
                   static_cast<double>(ftl.counters().host_pages);
}

TEST(HotColdTest, SeparationCopiesLessWhereSomePagesAreHot) {
    EXPECT_LT(amplification_of(true, 0.9), 0.85 * amplification_of(false, 0.9));
}

TEST(HotColdTest, WithoutHotPagesThereIsNothingToGain) {
    // Three of the 61 spare blocks are those more that are open or kept free.
    EXPECT_NEAR(amplification_of(true, 0.0) / amplification_of(false, 0.0), 61.0 / 58, 0.03);
}

TEST(HotColdTest, APageIsHotFromItsFourthWriteOn) {
    const Geometry geometry = geometry_of(1, 1, 1, 16, 4);
    FtlParams params = params_of(0.5);
    params.hot_cold = true;
    params.hot_decay = 9.0 / 32; // after nine host pages counters are halved
    PageFtl ftl(geometry, params, nullptr);
    const auto block_of = [&](std::uint64_t lpn) { return raw(write(ftl, lpn).back().page) / 4; };
    EXPECT_EQ(block_of(0), 0u);
    EXPECT_EQ(block_of(0), 0u);
    EXPECT_EQ(block_of(0), 0u);
    EXPECT_EQ(block_of(0), 1u);
    EXPECT_EQ(block_of(1), 0u);
    EXPECT_EQ(block_of(0), 1u);
    EXPECT_EQ(block_of(0), 1u);
    EXPECT_EQ(block_of(2), 2u);
    EXPECT_EQ(block_of(1), 2u); // halved before: 3 for page 0 and 1 for page 1
    EXPECT_EQ(block_of(0), 1u); // 4
    EXPECT_GT(ftl.check_invariants(), 0u);
}

TEST(HotColdTest, CountersStopAtFifteenAndHalve) {
    HeatMap heat(100, 50);
    for (int i = 0; i < 49; ++i) {
        EXPECT_EQ(heat.on_write(Lpn{17}), i >= 3);
    }
    heat.on_write(Lpn{18}); // the fiftieth: 15 becomes 7
    EXPECT_TRUE(heat.is_hot(Lpn{17}));
    EXPECT_FALSE(heat.is_hot(Lpn{16}));
    EXPECT_FALSE(heat.is_hot(Lpn{18}));
    for (int i = 0; i < 50; ++i) {
        heat.on_write(Lpn{99});
    }
    EXPECT_FALSE(heat.is_hot(Lpn{17})); // 3
    EXPECT_TRUE(heat.is_hot(Lpn{99}));
}

TEST(HotColdTest, OptionsThatDoNotGoTogetherAreRefused) {
    FtlParams params = params_of(0.5);
    params.hot_cold = true;
    const Geometry geometry = geometry_of(1, 1, 1, 16, 4);
    EXPECT_EQ(page_ftl_why_not(geometry, params), std::nullopt);
    params.gc_shared_frontier = true;
    EXPECT_NE(page_ftl_why_not(geometry, params), std::nullopt);
    EXPECT_THROW(PageFtl(geometry, params, nullptr), ModelError);
}

TEST(BackgroundTest, IdlePlanesAreBroughtToTheirFreeBlocksAndNoFurther) {
    const Geometry geometry = geometry_of(1, 1, 1, 16, 4);
    FtlParams params = params_of(0.5);
    params.gc_background = 5;
    PageFtl ftl(geometry, params, nullptr);
    FlashOpList ops;
    EXPECT_TRUE(ftl.maintains());
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops)); // all blocks are free
    for (std::uint64_t i = 0; i < 48; ++i) {
        write(ftl, i % 24);
    }
    ASSERT_EQ(ftl.space().list_free(PlaneId{0}).size(), 4u);
    EXPECT_TRUE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_EQ(text_of(ops), (Lines{"erase gc page 0"}));
    EXPECT_EQ(ftl.space().list_free(PlaneId{0}).size(), 5u);
    EXPECT_FALSE(ftl.maintain(PlaneId{0}, 1, ops));
    EXPECT_FALSE(PageFtl(geometry, params_of(0.5), nullptr).maintains());
}

} // namespace
} // namespace cavern
