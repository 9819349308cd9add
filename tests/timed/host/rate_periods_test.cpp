#include "timed/host/rate_periods.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace cavern {
namespace {

constexpr TimePs kFirst = RatePeriods::kFirst;
constexpr std::size_t kRead = static_cast<std::size_t>(RequestOp::kRead);
constexpr std::size_t kWrite = static_cast<std::size_t>(RequestOp::kWrite);

/// A host that counts what is answered, as the host interface does.
class Host {
  public:
    explicit Host(TimePs begin = 0) { periods_.begin(begin); }

    /// A request is answered at `now`, which has brought `programs`.
    void answer(TimePs now, std::size_t op, std::uint64_t latency_ns, std::uint64_t programs = 0) {
        totals_.programs += programs; // decided before the answer
        if (periods_.is_over(now)) {
            periods_.close(now, totals_);
        }
        RatePeriods::Kind& kind = totals_.kinds[op];
        kind.count += 1;
        kind.bytes += 4096;
        kind.latency += latency_ns;
        periods_.add(op, Histogram::bucket_of(latency_ns), latency_ns);
        last_ = now;
    }
    [[nodiscard]] RatePeriods ended() const { return periods_.ended(last_, totals_); }

  private:
    RatePeriods periods_;
    RatePeriods::Period totals_;
    TimePs last_ = 0;
};

template <typename Get>
std::uint64_t sum(const RatePeriods& periods, Get get) {
    return std::accumulate(
        periods.all().begin(), periods.all().end(), std::uint64_t{0},
        [&get](std::uint64_t all, const RatePeriods::Period& each) { return all + get(each); });
}

TEST(RatePeriodsTest, ARequestIsOfThePeriodInWhichItIsAnswered) {
    Host host(kFirst);
    host.answer(kFirst + 1, kWrite, 1000, 1);
    host.answer(2 * kFirst - 1, kWrite, 3001, 1);
    host.answer(2 * kFirst, kRead, 500); // a period includes its begin, not its end
    host.answer(4 * kFirst + 7, kWrite, 70, 5);
    const RatePeriods all = host.ended();
    ASSERT_EQ(all.all().size(), 4u);
    EXPECT_EQ(all.begins(), kFirst);
    EXPECT_EQ(all.length(), kFirst);
    EXPECT_EQ(all.ends(), 4 * kFirst + 7);
    const RatePeriods::Period& first = all.all()[0];
    EXPECT_EQ(first.kinds[kWrite].count, 2u);
    EXPECT_EQ(first.kinds[kWrite].bytes, 8192u);
    EXPECT_EQ(first.kinds[kWrite].mean(), 2001u); // 2000.5, rounded
    EXPECT_EQ(first.kinds[kWrite].longest, 3001u);
    EXPECT_EQ(first.kinds[kRead].count, 0u);
    EXPECT_EQ(first.kinds[kRead].quantile(0.99), 0u);
    EXPECT_EQ(all.all()[1].kinds[kRead].count, 1u);
    EXPECT_EQ(all.all()[2].kinds[kWrite].count + all.all()[2].kinds[kRead].count, 0u);
    EXPECT_EQ(all.all()[3].kinds[kWrite].longest, 70u);
    EXPECT_EQ(sum(all, [](const auto& period) { return period.programs; }), 7u);
}

/// One request each microsecond, whose latency is its number.
RatePeriods counted(std::uint64_t requests) {
    Host host;
    for (std::uint64_t i = 1; i <= requests; ++i) {
        host.answer(i * kUs, kWrite, i, 2);
    }
    return host.ended();
}

TEST(RatePeriodsTest, PeriodsGrowWithTheRunAndLoseNothing) {
    std::uint64_t shortest = 0;
    for (const std::uint64_t requests : {12'799u, 12'800u, 12'900u, 99'999u, 500'000u}) {
        const RatePeriods all = counted(requests);
        const std::size_t periods = all.all().size();
        ASSERT_LE(periods, MergedPeriods<RatePeriods::Period>::kMost) << requests;
        EXPECT_EQ(sum(all, [](const auto& p) { return p.kinds[kWrite].count; }), requests);
        EXPECT_EQ(sum(all, [](const auto& p) { return p.programs; }), 2 * requests);
        EXPECT_EQ(sum(all, [](const auto& p) { return p.kinds[kWrite].latency; }),
                  requests * (requests + 1) / 2);
        EXPECT_EQ(all.ends(), requests * kUs);
        EXPECT_LE((periods - 1) * all.length(), all.ends());
        EXPECT_LE(all.ends(), periods * all.length());
        // Each whole period has a request for each of its microseconds; the first has no 0.
        for (std::size_t i = 0; i + 1 < periods; ++i) {
            const RatePeriods::Kind& kind = all.all()[i].kinds[kWrite];
            EXPECT_EQ(kind.count, all.length() / kUs - (i == 0 ? 1 : 0)) << requests << ", " << i;
            EXPECT_EQ(kind.longest, (i + 1) * all.length() / kUs - 1);
        }
        EXPECT_GE(all.length(), shortest);
        shortest = all.length();
    }
    EXPECT_EQ(shortest, 64 * kFirst); // 500 ms are 79 of them, and 157 of half of that
}

TEST(RatePeriodsTest, QuantilesAreWithinTheirClassAlsoOfMergedPeriods) {
    const RatePeriods all = counted(500'000);
    for (std::size_t i = 1; i + 1 < all.all().size(); ++i) {
        const RatePeriods::Kind& kind = all.all()[i].kinds[kWrite];
        const std::uint64_t before = i * all.length() / kUs - 1; // latencies follow each other
        for (const double q : {0.01, 0.5, 0.99}) {
            const std::uint64_t exact = before + rank_of(q, kind.count);
            EXPECT_GE(kind.quantile(q), exact);
            EXPECT_LE(kind.quantile(q), exact + std::max<std::uint64_t>(exact / 16, 127));
        }
        EXPECT_EQ(kind.quantile(1.0), kind.longest);
    }
}

TEST(RatePeriodsTest, ALongSilenceTakesFewPeriods) {
    Host host;
    host.answer(1, kRead, 10);
    host.answer(3600 * kSecond, kRead, 20);
    const RatePeriods all = host.ended();
    EXPECT_GE(all.all().size(), 64u);
    EXPECT_LE(all.all().size(), 128u);
    EXPECT_EQ(all.all().front().kinds[kRead].count, 1u);
    EXPECT_EQ(all.all().back().kinds[kRead].longest, 20u);
    EXPECT_EQ(sum(all, [](const auto& p) { return p.kinds[kRead].count; }), 2u);
}

TEST(RatePeriodsTest, HoldsTheLongestLatency) {
    Host host;
    host.answer(1, kWrite, ~std::uint64_t{0});
    EXPECT_EQ(host.ended().all().front().kinds[kWrite].quantile(0.5), ~std::uint64_t{0});
}

TEST(RatePeriodsTest, WhatHasNotBegunHasNoPeriods) {
    RatePeriods none;
    EXPECT_FALSE(none.is_over(3600 * kSecond));
    EXPECT_TRUE(none.ended(5, {}).all().empty());
}

TEST(RatePeriodsTest, BeginningAnewForgetsWhatWas) {
    RatePeriods periods;
    periods.begin(0);
    periods.add(kWrite, Histogram::bucket_of(5000), 5000);
    periods.begin(7);
    RatePeriods::Period totals;
    totals.kinds[kWrite] = {1, 512, 30, 0, {}};
    periods.add(kWrite, Histogram::bucket_of(30), 30);
    const RatePeriods all = periods.ended(9, totals);
    ASSERT_EQ(all.all().size(), 1u);
    EXPECT_EQ(all.begins(), 7u);
    EXPECT_EQ(all.all()[0].kinds[kWrite].longest, 30u);
}

} // namespace
} // namespace cavern
