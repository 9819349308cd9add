// For how long the host counts itself as having something outstanding (host.busy_ns).

#include <gtest/gtest.h>

#include "tests/timed/host/host_bench.h"

namespace cavern::testing {
namespace {

using HostBusyTest = HostBench;

// 200 MB/s; no data moves here.
constexpr std::uint64_t kRate = 200'000'000;

/// Three stretches: one request, two that overlap, and one that follows them without a gap.
const std::vector<TimePs> kArrivals{5 * kUs, 20 * kUs, 24 * kUs, 34 * kUs};
constexpr TimePs kService = 10 * kUs;

TEST_F(HostBusyTest, OverlapsCountOnceAndGapsNotAtAll) {
    const DirectLink link(kRate, false);
    build(link);
    device_.service = kService;
    for (const TimePs arrival : kArrivals) {
        add(RequestOp::kWrite, arrival);
    }
    finish();
    // 5 .. 15 and 20 .. 44 us; the window is 5 .. 44.
    EXPECT_EQ(host_->statistics().window_busy, 34 * kUs);
    EXPECT_EQ(host_->statistics().window_end - host_->statistics().window_begin, 39 * kUs);
}

TEST_F(HostBusyTest, WaitingForATagCounts) {
    const DirectLink link(kRate, false);
    HostInterface::Params one;
    one.queue_depth = 1;
    build(link, one);
    device_.service = kService;
    add(RequestOp::kWrite, 0);
    add(RequestOp::kWrite, 2 * kUs);
    add(RequestOp::kWrite, 50 * kUs);
    finish();
    EXPECT_EQ(host_->statistics().window_busy, 30 * kUs);
}

TEST_F(HostBusyTest, WarmUpDoesNotCount) {
    const DirectLink link(kRate, false);
    HostInterface::Params warm;
    warm.warmup = 2;
    build(link, warm);
    left_out_ = 2;
    device_.service = kService;
    for (const TimePs arrival : kArrivals) {
        add(RequestOp::kWrite, arrival);
    }
    finish();
    // The second completion, at 30 us, begins the window.
    EXPECT_EQ(host_->statistics().window_busy, 14 * kUs);
    EXPECT_EQ(host_->statistics().window_end - host_->statistics().window_begin, 14 * kUs);
}

} // namespace
} // namespace cavern::testing
