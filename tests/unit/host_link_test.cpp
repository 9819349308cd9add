#include "timed/host/host_link.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

// One dword at 300 MB/s with ALIGN pairs, as a number to multiply by.
constexpr double kDwordNs = 4.0 / 0.3 * 256.0 / 254.0;

double ns(TimePs time) { return static_cast<double>(time) / static_cast<double>(kNs); }

TEST(SataLinkTest, ACommandIsARegisterFrameEachWay) {
    const SataLink link(2);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kRead)), 2 * (5 + 9) * kDwordNs, 0.01);
    EXPECT_NEAR(ns(link.command_time(RequestOp::kFlush)), (5 + 9) * kDwordNs, 0.01);
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

TEST(SataLinkTest, FlushAndTrimRunAlone) {
    const SataLink link(3);
    EXPECT_TRUE(link.runs_alone(RequestOp::kFlush));
    EXPECT_TRUE(link.runs_alone(RequestOp::kTrim));
    EXPECT_FALSE(link.runs_alone(RequestOp::kWrite));
    EXPECT_TRUE(link.half_duplex());
}

TEST(DirectLinkTest, OnlyDataTakesTime) {
    const DirectLink link(200'000'000, false);
    EXPECT_EQ(link.command_time(RequestOp::kWrite), 0u);
    EXPECT_EQ(link.status_time(RequestOp::kWrite), 0u);
    EXPECT_EQ(link.data_time(RequestOp::kWrite, 0, 2048), 10'240 * kNs);
}

} // namespace
} // namespace cavern
