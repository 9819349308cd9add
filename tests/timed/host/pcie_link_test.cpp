#include "timed/host/pcie_link.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

double ns(TimePs time) {
    return static_cast<double>(time) / static_cast<double>(kNs);
}

PcieLink link(std::uint32_t generation, std::uint32_t lanes = 4, std::uint32_t payload = 256,
              std::uint32_t request = 512) {
    return PcieLink({generation, lanes, payload, request});
}

TEST(PcieLinkTest, APacketIsItsPayloadAnd24BytesAtTheCodedRateLessTwoPercent) {
    // 8 GT/s, four lanes, 128 bits in 130, 98 % of it.
    const double bytes_per_ns = 8.0 * 4 / 8 * 128 / 130 * 0.98;
    EXPECT_NEAR(ns(link(3).packet_time(1, 256)), 280 / bytes_per_ns, 0.001);
    EXPECT_NEAR(ns(link(3).packet_time(3, 64)), (3 * 24 + 64) / bytes_per_ns, 0.001);
}

TEST(PcieLinkTest, OlderGenerationsCodeEightBitsInTen) {
    EXPECT_NEAR(ns(link(2).packet_time(1, 256)), 280 / (5.0 * 4 / 8 * 0.8 * 0.98), 0.001);
    EXPECT_NEAR(ns(link(1).packet_time(1, 256)), 280 / (2.5 * 4 / 8 * 0.8 * 0.98), 0.001);
}

// 3938 and 7877 MB/s raw (PCIe 3 and 4, four lanes): 3.53 and 7.06 GB/s of data.
TEST(PcieLinkTest, LongDataReachWhatTheOverheadsLeave) {
    const double megabyte = 1 << 20;
    EXPECT_NEAR(megabyte / ns(link(3).data_time(0, 1 << 20)), 3.529, 0.002);
    EXPECT_NEAR(megabyte / ns(link(4).data_time(0, 1 << 20)), 7.058, 0.002);
    EXPECT_NEAR(megabyte / ns(link(5).data_time(0, 1 << 20)), 14.116, 0.004);
    EXPECT_NEAR(megabyte / ns(link(3, 8).data_time(0, 1 << 20)), 7.058, 0.002);
}

TEST(PcieLinkTest, EfficiencyGrowsWithTheMaximumPayload) {
    const double raw = 8.0 * 4 / 8 * 128 / 130 * 0.98;
    const auto share = [&](std::uint32_t payload) {
        return (1 << 20) / ns(link(3, 4, payload).data_time(0, 1 << 20)) / raw;
    };
    EXPECT_NEAR(share(128), 0.842, 0.0005);
    EXPECT_NEAR(share(256), 0.914, 0.0005);
    EXPECT_NEAR(share(512), 0.955, 0.0005);
}

TEST(PcieLinkTest, DataOffTheirAlignmentTakeAPacketMore) {
    EXPECT_EQ(PcieLink::packets(0, 512, 256), 2u);
    EXPECT_EQ(PcieLink::packets(128, 512, 256), 3u);
    EXPECT_EQ(PcieLink::packets(255, 1, 256), 1u);
    EXPECT_EQ(PcieLink::packets(255, 2, 256), 2u);
    EXPECT_EQ(PcieLink::packets(77, 0, 256), 0u);
}

TEST(PcieLinkTest, ReadRequestsCarryNoData) {
    EXPECT_EQ(link(3).request_time(0, 4096), link(3).packet_time(8, 0));
    EXPECT_EQ(link(3, 4, 256, 4096).request_time(0, 4096), link(3).packet_time(1, 0));
}

} // namespace
} // namespace cavern
