#include "drive/flash_periods.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

/// Requests that take `ops` operations of each kind, and one read of the host.
void play(FlashPeriods& periods, std::uint64_t requests, std::uint64_t map_bytes = 0) {
    const FlashOpList ops = {{FlashOpKind::kRead, Origin::kGc, Ppn{1}, Lpn{1}},
                             {FlashOpKind::kProgram, Origin::kGc, Ppn{2}, Lpn{1}},
                             {FlashOpKind::kProgram, Origin::kHost, Ppn{3}, Lpn{2}},
                             {FlashOpKind::kErase, Origin::kGc, Ppn{0}, kNoLpn}};
    for (std::uint64_t i = 0; i < requests; ++i) {
        periods.add(ops);
        periods.add_read();
        periods.end_request(512, map_bytes);
    }
}

TEST(FlashPeriodsTest, OperationsAreCountedByKindAndPeriod) {
    FlashPeriods periods;
    play(periods, 250, 64);
    ASSERT_EQ(periods.periods().size(), 2u);
    EXPECT_EQ(periods.requests(), 100u);
    const FlashPeriods::Period& second = periods.periods()[1];
    EXPECT_EQ(second.host_bytes, 51'200u);
    EXPECT_EQ(second.reads, 200u);
    EXPECT_EQ(second.programs, 200u);
    EXPECT_EQ(second.erases, 100u);
    EXPECT_EQ(second.map_bytes, 64u);
    // The last 50 are of no complete period, but of the whole.
    EXPECT_EQ(periods.total().programs, 500u);
    EXPECT_EQ(periods.total().erases, 250u);
}

TEST(FlashPeriodsTest, PeriodsGrowWithTheRunAndLoseNothing) {
    FlashPeriods periods;
    for (std::uint64_t played = 0; played < 100'000; played += 50) {
        play(periods, 50, played);
        const FlashPeriods::Period total = periods.total();
        ASSERT_EQ(total.programs, 2 * (played + 50));
        ASSERT_EQ(total.host_bytes, 512 * (played + 50));
        ASSERT_LE(periods.periods().size(), MergedPeriods<FlashPeriods::Period>::kMost);
        ASSERT_EQ(periods.periods().size(), (played + 50) / periods.requests());
    }
    EXPECT_EQ(periods.requests(), 800u);
    for (const FlashPeriods::Period& period : periods.periods()) {
        EXPECT_EQ(period.programs, 1600u);
        EXPECT_EQ(period.erases, 800u);
    }
    EXPECT_EQ(periods.periods()[0].map_bytes, 750u);
}

} // namespace
} // namespace cavern
