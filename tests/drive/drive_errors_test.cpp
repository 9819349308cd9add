// What raw bit errors do to reads, with latencies to the picosecond.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

constexpr TimePs kLatency = 7 * kUs;
constexpr TimePs kRead = kCommand + kTr + kPage;
using Settings = std::vector<std::string>;

// Some 600 errors in each of the four codewords of a page; the next read has none of them.
const Settings kEngine{"ecc.engine=per-channel", "ecc.codeword=512B", "ecc.decode_latency=7us",
                       "dram.model=ideal",       "alloc.scheme=cwdp", "precondition.fill=1.0"};
const Settings kErrors{"ecc.errors=tlc-72layer", "ecc.rber_scale=100", "ecc.correctable=50",
                       "ecc.soft_correctable=50"};

Settings operator+(Settings a, const Settings& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<HostRequest> reads(const std::vector<std::uint64_t>& lpns,
                               std::uint32_t bytes = kPageBytes) {
    std::vector<HostRequest> requests;
    for (const std::uint64_t lpn : lpns) {
        requests.push_back({0, lpn * kPageBytes, bytes, RequestOp::kRead});
    }
    return requests;
}

class DriveErrorsTest : public SystemcTest {
  protected:
    void play(const Settings& overrides, const std::vector<HostRequest>& requests) {
        bench_ = std::make_unique<DriveBench>("bench", small_drive(kEngine + overrides), requests);
        run();
        bench_->expect_sound();
    }
    std::vector<TimePs> latencies() const {
        std::vector<TimePs> all(bench_->answered().size());
        for (const Answered& each : bench_->answered()) {
            all[each.id] = each.completed - each.request.arrival;
        }
        return all;
    }
    const Ecc::Statistics& counted() const { return bench_->ssd().ecc()->statistics(); }
    std::uint64_t failed() const { return bench_->ssd().host().statistics().by_op[0].failed; }

    std::unique_ptr<DriveBench> bench_;
};

TEST_F(DriveErrorsTest, APageWithoutErrorsIsReadOnce) {
    play(kErrors + Settings{"host.queue_depth=1", "ecc.rber_scale=0"}, reads({0, 1}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(2, kRead + kLatency + kLink)));
    EXPECT_EQ(counted().raw_bit_errors, 0u);
    EXPECT_EQ(counted().retries, 0u);
}

TEST_F(DriveErrorsTest, APageWithTooManyErrorsIsReadAgain) {
    play(kErrors + Settings{"host.queue_depth=1", "ecc.retry_gain=0"}, reads({0, 1}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(2, 2 * (kRead + kLatency) + kLink)));
    EXPECT_EQ(counted().retried_pages, 2u);
    EXPECT_EQ(counted().retries, 2u);
    EXPECT_EQ(counted().uncorrectable_pages, 0u);
    EXPECT_EQ(failed(), 0u);
    // 148 of 1000 bits of 8 codewords of 528 bytes.
    EXPECT_NEAR(static_cast<double>(counted().raw_bit_errors), 0.148 * 8 * 528 * 8, 500);
}

// 156 errors of a codeword in the mean: 104 in lower pages, and 208 in upper ones, which alone are
// read again. Blocks are filled in order, so that half of the pages of each die are upper ones.
TEST_F(DriveErrorsTest, PagesOfATypeThatErrsMoreAreReadAgain) {
    std::vector<std::uint64_t> lpns;
    for (std::uint64_t lpn = 0; lpn < 64; ++lpn) {
        lpns.push_back(lpn);
    }
    play({"host.queue_depth=1", "ecc.errors=tlc-72layer", "ecc.rber_scale=25", "ecc.retry_gain=0",
          "ecc.correctable=150", "ecc.coding=1-2"},
         reads(lpns));
    EXPECT_EQ(counted().retried_pages, 32u);
    EXPECT_EQ(counted().retries, 32u);
}

TEST_F(DriveErrorsTest, ACodewordThatIsCorrectedNeedsNoRetry) {
    play(kErrors +
             Settings{"host.queue_depth=1", "ecc.correctable=2000", "ecc.soft_correctable=2000"},
         reads({0, 1}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(2, kRead + kLatency + kLink)));
    EXPECT_GT(counted().raw_bit_errors, 4000u);
}

// Pages 0 and 2 lie on the two dies of channel 0. When the first page is decoded, the second one is
// on the bus; when that is decoded, the first is being read again.
TEST_F(DriveErrorsTest, ARetryWaitsForBusAndDieAsAnyRead) {
    play(kErrors + Settings{"host.queue_depth=2", "ecc.retry_gain=0"}, reads({0, 2}));
    const TimePs first_again = kCommand + kTr + 2 * kPage;
    const TimePs done = first_again + kCommand + kTr + kPage + kLatency;
    EXPECT_EQ(latencies(), (std::vector<TimePs>{done + kLink, done + kPage + kLink}));
}

TEST_F(DriveErrorsTest, SoftDecodingReadsThePageOftenAndDecodesItOnce) {
    play(kErrors + Settings{"host.queue_depth=1", "ecc.retry_gain=1", "ecc.retry_limit=1",
                            "ecc.soft_reads=3", "ecc.soft_correctable=2000",
                            "ecc.soft_latency=50us"},
         reads({0}));
    EXPECT_EQ(latencies()[0], 5 * kRead + 2 * kLatency + 50 * kUs + kLink);
    EXPECT_EQ(counted().retries, 1u);
    EXPECT_EQ(counted().soft_reads, 3u);
    EXPECT_EQ(counted().soft_decoded_pages, 1u);
    EXPECT_EQ(failed(), 0u);
    EXPECT_EQ(counted().decoded_codewords, 3 * 4u);
}

TEST_F(DriveErrorsTest, AnUncorrectablePageFailsItsRequestAndNoOther) {
    std::vector<HostRequest> requests = reads({0});
    requests.push_back({0, 0, kPageBytes, RequestOp::kWrite});
    requests.push_back(requests[0]); // of the buffer
    play(kErrors + Settings{"host.queue_depth=1", "ecc.retry_gain=1", "ecc.retry_limit=2"},
         requests);
    EXPECT_EQ(latencies()[0], 3 * (kRead + kLatency) + kLink);
    EXPECT_EQ(latencies()[2], kLink);
    EXPECT_EQ(counted().uncorrectable_pages, 1u);
    EXPECT_EQ(failed(), 1u);
}

// Of what was written a year ago nearly every page has a codeword with more errors than are
// corrected, 48 in the mean, and is read again. When it has moved they are 28, and few pages have
// one. Eight pages are read twice, a second apart.
class DriveRefreshTest : public DriveErrorsTest {
  protected:
    /// Pages that are read again, the first and the second time.
    std::pair<std::uint64_t, std::uint64_t> read_twice(const char* refresh) {
        const SsdConfig config = small_drive(
            kEngine + Settings{"ecc.errors=tlc-72layer", "ecc.cycles=3000",
                               "ecc.retention_days=365", "ecc.correctable=42", "ecc.retry_gain=0",
                               "ftl.scheme=page", "ftl.gc_background=1", refresh});
        std::vector<HostRequest> requests;
        for (std::uint64_t i = 0; i < 16; ++i) {
            requests.push_back(
                {i / 8 * kSecond + i * kMs, i % 8 * kPageBytes, kPageBytes, RequestOp::kRead});
        }
        DriveBench::Options options;
        options.closed_loop = false;
        bench_ = std::make_unique<DriveBench>("bench", config, requests, options);
        run();
        bench_->expect_sound();
        const std::vector<TimePs> all = latencies();
        const auto again = [](TimePs latency) { return latency > kRead + kLatency + kLink; };
        return {std::count_if(all.begin(), all.begin() + 8, again),
                std::count_if(all.begin() + 8, all.end(), again)};
    }
    std::uint64_t moved() const { return bench_->ssd().core().ftl().counters().refresh_runs; }
};

TEST_F(DriveRefreshTest, WhatErrsMovesWhileTheHostIsSilent) {
    const auto [first, second] = read_twice("ecc.refresh_errors=35");
    EXPECT_GE(first, 7u);
    EXPECT_LE(second, 2u);
    EXPECT_GT(moved(), 0u);
}

TEST_F(DriveRefreshTest, WithoutRefreshItErrsAsBefore) {
    const auto [first, second] = read_twice("ecc.refresh_errors=0");
    EXPECT_GE(first, 7u);
    EXPECT_EQ(second, first);
    EXPECT_EQ(moved(), 0u);
}

TEST_F(DriveErrorsTest, TheRegisterOfADieHasNoPageThatWasReadAgain) {
    play(kErrors + Settings{"host.queue_depth=1", "ecc.retry_gain=0", "nand.column_change=true"},
         reads({0, 0}, 512));
    const TimePs once = kCommand + kTr + kPage / 4 + kLatency;
    EXPECT_EQ(latencies(), (std::vector<TimePs>(2, 2 * once + kLink / 4)));
    EXPECT_EQ(bench_->ssd().die(DieId{0}).statistics().register_reads, 0u);
}

TEST_F(DriveErrorsTest, ALostPageInTheBufferFailsUntilItIsWrittenWhole) {
    std::vector<HostRequest> requests = reads({0, 0});
    requests.push_back({0, 512, 512, RequestOp::kWrite});
    requests.push_back(requests[0]);
    requests.push_back({0, 0, kPageBytes, RequestOp::kWrite});
    requests.push_back(requests[0]);
    play(kErrors + Settings{"host.queue_depth=1", "ecc.retry_gain=1", "buffer.cache_reads=true"},
         requests);
    EXPECT_EQ(counted().uncorrectable_pages, 1u);
    EXPECT_EQ(failed(), 3u); // all but the last
}

// Some pages have a codeword that cannot be corrected. Collection copies it, and it stays lost.
TEST_F(DriveErrorsTest, CopiesOfLostPagesAreLostAndDecisionsStay) {
    Mix mix;
    mix.requests = 4000;
    const auto requests = random_requests(mix, std::uint64_t{200} * kPageBytes, kPageBytes);
    const Settings errors{"ecc.errors=tlc-72layer",  "ecc.rber_scale=4",  "ecc.correctable=35",
                          "ecc.soft_correctable=35", "ecc.retry_limit=1", "ecc.retry_gain=1"};
    const DriveBench without("without", small_drive(kEngine), requests);
    play(errors, requests);
    without.expect_sound();
    EXPECT_GT(counted().uncorrectable_pages, 10u);
    EXPECT_GT(counted().lost_page_reads, 0u);
    EXPECT_EQ(counted().retries, counted().retried_pages);
    EXPECT_GT(failed(), 10u);
    EXPECT_LT(failed(), 1000u);
    EXPECT_GT(bench_->ssd().core().ftl().counters().gc_pages, 100u);
    EXPECT_EQ(bench_->programs(), without.programs());
    EXPECT_EQ(bench_->erases(), without.erases());
}

} // namespace
} // namespace cavern::testing
