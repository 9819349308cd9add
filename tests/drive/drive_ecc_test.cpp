// What ECC engines add to the latencies of an unloaded drive, exactly.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

// Four codewords a page. At 20 MB/s one enters each 25.6 us; on the bus it takes 15.84 us.
constexpr TimePs kBus = kPage / 4;
constexpr TimePs kInterval = 25'600 * kNs;
constexpr TimePs kLatency = 7 * kUs;
const std::vector<std::string> kEngine{"ecc.engine=per-channel", "ecc.codeword=512B",
                                       "ecc.decode_latency=7us", "ecc.encode_latency=7us"};
const std::vector<std::string> kSlowEngine{"ecc.throughput=20MB/s"};
using Settings = std::vector<std::string>;

Settings operator+(Settings a, const Settings& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<HostRequest> pages(RequestOp op, const std::vector<std::uint64_t>& lpns,
                               std::uint32_t bytes = kPageBytes) {
    std::vector<HostRequest> requests;
    for (const std::uint64_t lpn : lpns) {
        requests.push_back({0, lpn * kPageBytes, bytes, op});
    }
    return requests;
}

class DriveEccTest : public SystemcTest {
  protected:
    void play(const Settings& overrides, const std::vector<HostRequest>& requests) {
        const Settings base{"dram.model=ideal", "alloc.scheme=cwdp", "precondition.fill=1.0"};
        bench_ = std::make_unique<DriveBench>("bench", small_drive(base + overrides), requests);
        run();
        bench_->expect_sound();
    }
    /// Latencies by request.
    std::vector<TimePs> latencies() const {
        std::vector<TimePs> all(bench_->answered().size());
        for (const Answered& each : bench_->answered()) {
            all[each.id] = each.completed - each.request.arrival;
        }
        return all;
    }
    const Ecc::Statistics& counted() const { return bench_->ssd().ecc()->statistics(); }

    std::unique_ptr<DriveBench> bench_;
};

TEST_F(DriveEccTest, AReadIsDecodedBeforeItGoesOn) {
    play(kEngine + Settings{"host.queue_depth=1"}, pages(RequestOp::kRead, {0, 1, 2}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(3, kCommand + kTr + kPage + kLatency + kLink)));
    EXPECT_EQ(counted().decoded_codewords, 12u);
    EXPECT_EQ(counted().encoded_codewords, 0u);
}

TEST_F(DriveEccTest, ASlowDecoderTakesItsIntervalsFromTheFirstCodewordOn) {
    play(kEngine + kSlowEngine + Settings{"host.queue_depth=1"},
         pages(RequestOp::kRead, {0, 1, 2}));
    const TimePs first = kCommand + kTr + kBus;
    EXPECT_EQ(latencies(), (std::vector<TimePs>(3, first + 3 * kInterval + kLatency + kLink)));
    EXPECT_EQ(counted().decode_time, 3 * (3 * (kInterval - kBus) + kLatency));
}

// Pages 0 and 2 lie on the two dies of channel 0.
TEST_F(DriveEccTest, PagesOfTwoDiesShareTheDecoderOfTheirChannel) {
    play(kEngine + kSlowEngine + Settings{"host.queue_depth=2"}, pages(RequestOp::kRead, {0, 2}));
    const TimePs first = kCommand + kTr + kBus;
    EXPECT_EQ(latencies(), (std::vector<TimePs>{first + 3 * kInterval + kLatency + kLink,
                                                first + 7 * kInterval + kLatency + kLink}));
}

TEST_F(DriveEccTest, PagesOfTwoChannelsDoNot) {
    play(kEngine + kSlowEngine + Settings{"host.queue_depth=2"}, pages(RequestOp::kRead, {0, 1}));
    const TimePs decoded = kCommand + kTr + kBus + 3 * kInterval + kLatency;
    EXPECT_EQ(latencies(), (std::vector<TimePs>{decoded + kLink, decoded + 2 * kLink}));
}

TEST_F(DriveEccTest, AProgramWaitsForItsEncoder) {
    play(kEngine + Settings{"host.queue_depth=1", "buffer.policy=none"},
         pages(RequestOp::kWrite, {0, 1, 2}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(3, kLink + kLatency + kCommand + kPage + kTprog)));
    EXPECT_EQ(counted().encoded_codewords, 12u);
    EXPECT_EQ(counted().decoded_codewords, 0u);
}

TEST_F(DriveEccTest, ProgramsOfTwoDiesShareTheEncoderOfTheirChannel) {
    play(kEngine + kSlowEngine +
             Settings{"host.queue_depth=2", "buffer.policy=none", "precondition.fill=0"},
         pages(RequestOp::kWrite, {0, 2}));
    // The second page is here when the link has moved both, and the encoder has taken the first.
    const TimePs behind = kLatency + 3 * (kInterval - kBus);
    EXPECT_EQ(latencies(),
              (std::vector<TimePs>{kLink + behind + kCommand + kPage + kTprog,
                                   kLink + 4 * kInterval + behind + kCommand + kPage + kTprog}));
}

TEST_F(DriveEccTest, AReadOfASectorMovesItsCodeword) {
    play(kEngine + Settings{"host.queue_depth=1", "nand.column_change=true", "ecc.codeword=1KiB"},
         pages(RequestOp::kRead, {0, 1}, 512));
    EXPECT_EQ(latencies(),
              (std::vector<TimePs>(2, kCommand + kTr + kPage / 2 + kLatency + kLink / 4)));
    EXPECT_EQ(counted().decoded_codewords, 2u);
}

/// The adaptive allocator counts what waits for a die, also what waits once more.
TEST_F(DriveEccTest, AReadThatIsDoneAgainWaitsForItsDieOnceMore) {
    play(kEngine + Settings{"alloc.scheme=adaptive", "ecc.errors=mlc-2ynm", "ecc.cycles=3000",
                            "ecc.retention_days=365", "ecc.correctable=3", "ecc.retry_gain=0.1"},
         pages(RequestOp::kRead, {0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_GT(counted().retries, 0u);
}

TEST_F(DriveEccTest, ADriveWithoutEnginesIsFaster) {
    play({"host.queue_depth=1"}, pages(RequestOp::kRead, {0, 1}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(2, kCommand + kTr + kPage + kLink)));
    EXPECT_EQ(bench_->ssd().ecc(), nullptr);
}

// Collection, map and host: whatever goes into a page of the flash or comes out of one.
TEST_F(DriveEccTest, AllPagesPassThroughTheEngines) {
    const SsdConfig config =
        small_drive(kEngine + kSlowEngine + Settings{"ftl.scheme=dftl", "ftl.map_cache=512B"});
    Mix mix;
    bench_ = std::make_unique<DriveBench>(
        "bench", config, random_requests(mix, std::uint64_t{200} * kPageBytes, kPageBytes));
    run();
    bench_->expect_sound();
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    for (std::uint32_t die = 0; die < 4; ++die) {
        reads += bench_->ssd().die(DieId{die}).statistics().reads;
        programs += bench_->ssd().die(DieId{die}).statistics().programs;
    }
    EXPECT_GT(bench_->ssd().core().ftl().counters().gc_pages, 100u);
    EXPECT_EQ(counted().decoded_codewords, 4 * reads);
    EXPECT_EQ(counted().encoded_codewords, 4 * programs);
}

} // namespace
} // namespace cavern::testing
