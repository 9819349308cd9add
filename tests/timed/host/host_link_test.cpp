#include "timed/host/host_link.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

// One dword at 300 MB/s with ALIGN pairs, as a number to multiply by.
constexpr double kDwordNs = 4.0 / 0.3 * 256.0 / 254.0;

double ns(TimePs time) {
    return static_cast<double>(time) / static_cast<double>(kNs);
}

TEST(SataLinkTest, ACommandIsARegisterFrameEachWay) {
    const SataLink link(2);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kRead, 2048)), 2 * (5 + 9) * kDwordNs, 0.01);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kFlush, 2048)), (5 + 9) * kDwordNs, 0.01);
}

TEST(SataLinkTest, TheFirstDataFrameOfAWriteNeedsDmaSetupButNoActivate) {
    const SataLink link(2);
    EXPECT_NEAR(ns(link.data_time(RequestOp::kWrite, 0, 4096)),
                ((7 + 9) + (1 + 9) + 1024) * kDwordNs, 0.01);
}

TEST(SataLinkTest, EachFurtherWriteFrameNeedsAnActivate) {
    const SataLink link(2);
    EXPECT_NEAR(ns(link.data_time(RequestOp::kWrite, 8192, 8192)),
                ((1 + 9) + (1 + 9) + 2048) * kDwordNs, 0.01);
    EXPECT_NEAR(ns(link.data_time(RequestOp::kRead, 8192, 8192)), ((1 + 9) + 2048) * kDwordNs,
                0.01);
}

TEST(SataLinkTest, PagesOfOneFrameShareItsOverhead) {
    const SataLink link(2);
    TimePs pieces = 0;
    for (std::uint64_t before = 0; before < 8192; before += 2048) {
        pieces += link.data_time(RequestOp::kRead, before, 2048);
    }
    EXPECT_NEAR(ns(pieces), ns(link.data_time(RequestOp::kRead, 0, 8192)), 0.01);
}

TEST(SataLinkTest, GenerationsDoubleTheRate) {
    const double first = ns(SataLink(1).data_time(RequestOp::kRead, 0, 131072));
    EXPECT_NEAR(first / ns(SataLink(2).data_time(RequestOp::kRead, 0, 131072)), 2.0, 1e-6);
    EXPECT_NEAR(first / ns(SataLink(3).data_time(RequestOp::kRead, 0, 131072)), 4.0, 1e-6);
}

TEST(SataLinkTest, LongTransfersReachTheCeilingOfTheProtocol) {
    const TimePs time = SataLink(2).data_time(RequestOp::kRead, 0, 1 << 20);
    const double megabytes_per_second = (1 << 20) / (ns(time) / 1000.0);
    // 300 MB/s less frame overhead (10 dwords in 2058) and ALIGN (2 in 256).
    EXPECT_NEAR(megabytes_per_second, 300.0 * 2048 / 2058 * 254 / 256, 0.1);
}

TEST(SataLinkTest, ATrimCarriesItsRangesInBlocksOf64) {
    const SataLink link(2);
    const auto blocks = [&](double n) { return ((5 + 9) + (1 + 9) + 128 * n + 10) * kDwordNs; };
    const std::uint64_t range = 65'535 * 512;
    EXPECT_NEAR(ns(link.command_time(RequestOp::kTrim, 4096)), blocks(1), 0.01);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kTrim, 64 * range)), blocks(1), 0.01);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kTrim, 64 * range + 512)), blocks(2), 0.01);
    EXPECT_NEAR(ns(link.status_time(RequestOp::kTrim)), (5 + 9) * kDwordNs, 0.01);
}

TEST(SataLinkTest, AQueuedTrimIsAQueuedCommandWithOneStretchOfData) {
    const SataLink link(2, 0, true);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kTrim, 4096)),
                (2 * (5 + 9) + (7 + 9) + (128 + 10)) * kDwordNs, 0.01);
    EXPECT_NEAR(ns(link.status_time(RequestOp::kTrim)), (2 + 9) * kDwordNs, 0.01);
    EXPECT_FALSE(link.runs_alone(RequestOp::kTrim));
    EXPECT_TRUE(link.reports_several(RequestOp::kTrim));
    EXPECT_TRUE(link.runs_alone(RequestOp::kFlush));
    EXPECT_FALSE(link.reports_several(RequestOp::kFlush));
}

TEST(SataLinkTest, EveryFrameWaitsForItsHandshakes) {
    const TimePs wait = 300 * kNs;
    const SataLink plain(3);
    const SataLink slow(3, wait);
    const auto frames = [&](TimePs with, TimePs without) { return (with - without) / wait; };
    // Register FIS both ways; the status; DMA Setup and 16 data FISes, 15 of them activated.
    EXPECT_EQ(
        frames(slow.command_time(RequestOp::kRead, 512), plain.command_time(RequestOp::kRead, 512)),
        2u);
    EXPECT_EQ(frames(slow.status_time(RequestOp::kRead), plain.status_time(RequestOp::kRead)), 1u);
    EXPECT_EQ(frames(slow.data_time(RequestOp::kRead, 0, 131'072),
                     plain.data_time(RequestOp::kRead, 0, 131'072)),
              17u);
    EXPECT_EQ(frames(slow.data_time(RequestOp::kWrite, 0, 131'072),
                     plain.data_time(RequestOp::kWrite, 0, 131'072)),
              32u);
}

TEST(SataLinkTest, TheLongestFrameHas8KiBOfData) {
    EXPECT_NEAR(ns(SataLink(2).longest_frame()), (2048 + 10) * kDwordNs, 0.01);
}

TEST(SataLinkTest, FlushAndTrimRunAlone) {
    const SataLink link(3);
    EXPECT_TRUE(link.runs_alone(RequestOp::kFlush));
    EXPECT_TRUE(link.runs_alone(RequestOp::kTrim));
    EXPECT_FALSE(link.runs_alone(RequestOp::kWrite));
    EXPECT_TRUE(link.half_duplex());
}

TEST(DirectLinkTest, OnlyDataTakesTime) {
    const DirectLink link(200'000'000, false);
    EXPECT_EQ(link.command_time(RequestOp::kWrite, 2048), 0u);
    EXPECT_EQ(link.status_time(RequestOp::kWrite), 0u);
    EXPECT_EQ(link.data_time(RequestOp::kWrite, 0, 2048), 10'240 * kNs);
}

} // namespace
} // namespace cavern
