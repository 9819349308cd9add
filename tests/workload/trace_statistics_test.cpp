#include "workload/trace_statistics.h"

#include <algorithm>
#include <list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "workload/reuse_distance.h"

namespace cavern {
namespace {

constexpr RequestOp kR = RequestOp::kRead;
constexpr RequestOp kW = RequestOp::kWrite;

TraceStatistics statistics_of(const std::vector<HostRequest>& requests,
                              const DeviceMap& devices = {}) {
    TraceStatistics statistics(10 * kSecond, kGiB, devices);
    for (const HostRequest& request : requests) {
        statistics.add(request);
    }
    return statistics;
}

TEST(TraceStatisticsTest, CountsAreThoseOfASmallTraceDoneByHand) {
    const TraceStatistics s =
        statistics_of({{0, 0, 8192, kW},
                       {kMs, 8192, 4096, kW},     // goes on
                       {kMs, 12288, 4096, kR},    // goes on, a read
                       {3 * kMs, 512, 512, kR},   // in page 0
                       {5 * kMs, 1024, 8192, kW}, // pages 0, 1, 2; of writes random
                       {6 * kMs, 0, kMiB, RequestOp::kTrim},
                       {7 * kMs, 0, 0, RequestOp::kFlush}});
    EXPECT_EQ(s.requests(), 7u);
    EXPECT_EQ(s.of(kW).count, 3u);
    EXPECT_EQ(s.of(kW).bytes, 20480u);
    EXPECT_EQ(s.of(kR).count, 2u);
    EXPECT_EQ(s.of(RequestOp::kTrim).bytes, kMiB);
    EXPECT_EQ(s.of(RequestOp::kFlush).count, 1u);
    // Of five, the second, third and last go on where the one before ended.
    EXPECT_DOUBLE_EQ(s.random_share(), 2.0 / 5);
    EXPECT_DOUBLE_EQ(s.of(kW).random_share(), 2.0 / 3);
    EXPECT_DOUBLE_EQ(s.of(kR).random_share(), 1.0);
    EXPECT_DOUBLE_EQ(s.aligned_share(), 3.0 / 5);
    EXPECT_EQ(s.footprint().written, 3.0);
    EXPECT_EQ(s.footprint().read, 2.0);
    EXPECT_EQ(s.footprint().any, 4.0);
    EXPECT_TRUE(s.footprint().exact);
    EXPECT_EQ(s.of(kW).page_accesses, 6u);
    EXPECT_EQ(s.duration(), 7 * kMs);
    EXPECT_DOUBLE_EQ(s.zero_gap_share(), 1.0 / 6);
    EXPECT_EQ(s.gaps_ns().max(), 2'000'000u);
    EXPECT_EQ(s.busiest_second(), 7u);
    EXPECT_EQ(s.exact_sizes().at(4096), 2u);
    EXPECT_EQ(s.of(kW).size_bins.at(14), 2u); // 8192 has 14 binary digits
}

TEST(TraceStatisticsTest, RequestsOfAnotherDeviceDoNotBreakARun) {
    DeviceMap devices;
    devices.add("", 0)->end = 100 * kMiB;
    devices.add("", 1)->end = 100 * kMiB;
    devices.lay_out();
    const std::vector<HostRequest> turns{{0, 0, 4096, kR},
                                         {1, 100 * kMiB, 4096, kR},
                                         {2, 4096, 4096, kR},
                                         {3, 100 * kMiB + 4096, 4096, kR}};
    EXPECT_DOUBLE_EQ(statistics_of(turns, devices).random_share(), 0.5);
    EXPECT_DOUBLE_EQ(statistics_of(turns, devices).random_share_across_devices(), 1.0);
    EXPECT_DOUBLE_EQ(statistics_of(turns).random_share(), 1.0);
}

/// The distances by definition: a list with the page used last in front.
std::vector<std::uint64_t> slow_distances(const std::vector<std::uint64_t>& pages) {
    std::list<std::uint64_t> stack;
    std::vector<std::uint64_t> distances;
    for (const std::uint64_t page : pages) {
        const auto at = std::find(stack.begin(), stack.end(), page);
        if (at != stack.end()) {
            distances.push_back(static_cast<std::uint64_t>(std::distance(stack.begin(), at)));
            stack.erase(at);
        }
        stack.push_front(page);
    }
    return distances;
}

std::vector<std::uint64_t> skewed_pages(std::size_t count, std::uint64_t span) {
    Random random(3);
    std::vector<std::uint64_t> pages;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t range = random.below(3) == 0 ? span : 1 + span / 50;
        pages.push_back(random.below(range) * 977);
    }
    return pages;
}

TEST(ReuseDistanceTest, HitRatiosAreThoseOfAnLruStack) {
    // 200,000 accesses: the positions are renumbered several times.
    const std::vector<std::uint64_t> pages = skewed_pages(200'000, 1500);
    ReuseDistance reuse;
    for (const std::uint64_t page : pages) {
        reuse.access(page);
    }
    const std::vector<std::uint64_t> distances = slow_distances(pages);
    EXPECT_EQ(reuse.sample_rate(), 1.0);
    EXPECT_EQ(reuse.cold(), static_cast<double>(pages.size() - distances.size()));
    for (unsigned k = 0; k < 14; ++k) {
        const auto hits = std::count_if(distances.begin(), distances.end(),
                                        [k](std::uint64_t d) { return d < (1u << k); });
        EXPECT_DOUBLE_EQ(reuse.hit_ratio(k),
                         static_cast<double>(hits) / static_cast<double>(pages.size()))
            << k;
    }
    EXPECT_GT(reuse.hit_ratio(10), reuse.hit_ratio(4) + 0.1); // the curve is no constant
}

TEST(ReuseDistanceTest, SampleComesNearTheExactCurve) {
    const std::vector<std::uint64_t> pages = skewed_pages(300'000, 20'000);
    ReuseDistance exact; // 20,000 pages; a sample of 4,000 comes to rest at a quarter or an eighth
    ReuseDistance sampled(4000);
    for (const std::uint64_t page : pages) {
        exact.access(page);
        sampled.access(page);
    }
    EXPECT_LT(sampled.sample_rate(), 0.5);
    EXPECT_GT(sampled.sample_rate(), 0.05);
    EXPECT_NEAR(sampled.accesses() / static_cast<double>(pages.size()), 1.0, 0.1);
    for (unsigned k = 8; k < 16; ++k) {
        EXPECT_NEAR(sampled.hit_ratio(k), exact.hit_ratio(k), 0.1) << k;
    }
}

TEST(SlowTraceStatisticsTest, FootprintBeyondTheLimitIsEstimatedFromASample) {
    // 9 Mi pages in requests of 16 MiB: beyond the 8 Mi followed.
    TraceStatistics statistics(kSecond, std::uint64_t{1} << 40, {}, false);
    constexpr std::uint64_t kRequests = 2304;
    for (std::uint64_t i = 0; i < kRequests; ++i) {
        statistics.add({i, i * 16 * kMiB, 16 * kMiB, kW});
    }
    const TraceStatistics::Footprint footprint = statistics.footprint();
    EXPECT_FALSE(footprint.exact);
    EXPECT_NEAR(footprint.written / (kRequests * 4096.0), 1.0, 0.02);
    EXPECT_EQ(footprint.read, 0.0);
}

} // namespace
} // namespace cavern
