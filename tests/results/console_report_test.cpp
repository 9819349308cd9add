#include "results/console_report.h"

#include <gtest/gtest.h>

namespace cavern::testing {
namespace {

/// So many requests, of 1000 ns each.
Histogram of_requests(std::uint64_t count) {
    Histogram latency;
    for (std::uint64_t i = 0; i < count; ++i) {
        latency.add(1000);
    }
    return latency;
}

TEST(ConsoleReportTest, APercentileWithFewerThanTenRequestsBeyondIsADash) {
    const char* all = "  read       10000 requests   mean        1.0 us   p50       1.0   "
                      "p99        1.0   p99.9        1.0   max        1.0\n";
    EXPECT_EQ(latency_text("read", of_requests(10'000)), all);
    // One request less, and nine lie beyond p99.9; nine beyond p99 of 999, beyond p50 of 19.
    EXPECT_NE(latency_text("read", of_requests(9'999)).find("p99.9          -   max"),
              std::string::npos);
    EXPECT_NE(latency_text("read", of_requests(999)).find("p99          -   p99.9          -"),
              std::string::npos);
    EXPECT_NE(latency_text("read", of_requests(19)).find("p50         -   p99          -"),
              std::string::npos);
    EXPECT_NE(latency_text("read", of_requests(20)).find("p50       1.0   p99          -"),
              std::string::npos);
}

TEST(ConsoleReportTest, RequestsThatNeverCameHaveNoLine) {
    EXPECT_EQ(latency_text("write", Histogram()), "");
}

} // namespace
} // namespace cavern::testing
