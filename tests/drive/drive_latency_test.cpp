// Latencies of an unloaded drive, exact, and rates of a saturated one, each against a formula from
// data-sheet values. SDRAM is ideal except where it is the subject.

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"
#include "timed/host/host_link.h"

namespace cavern::testing {
namespace {

std::vector<std::string> with(const std::vector<std::string>& more) {
    std::vector<std::string> all{"dram.model=ideal", "alloc.scheme=cwdp"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::vector<HostRequest> pages(RequestOp op, const std::vector<std::uint64_t>& lpns,
                               std::uint32_t bytes = kPageBytes) {
    std::vector<HostRequest> requests;
    for (const std::uint64_t lpn : lpns) {
        requests.push_back({0, lpn * kPageBytes, bytes, op});
    }
    return requests;
}

std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint64_t> lpns(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        lpns[i] = first + i;
    }
    return lpns;
}

std::vector<HostRequest> operator+(std::vector<HostRequest> a, const std::vector<HostRequest>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

class DriveLatencyTest : public SystemcTest {
  protected:
    void play(const std::vector<std::string>& overrides, const std::vector<HostRequest>& requests) {
        bench_ = std::make_unique<DriveBench>("bench", small_drive(with(overrides)), requests);
        run();
        bench_->expect_sound();
    }
    /// Latencies by request, from its arrival.
    std::vector<TimePs> latencies(std::size_t first = 0) const {
        std::vector<TimePs> all(bench_->answered().size());
        for (const Answered& each : bench_->answered()) {
            all[each.id] = each.completed - each.request.arrival;
        }
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
        return all;
    }
    /// Mean time between completions from the `first` on.
    double spacing_ns(std::size_t first) const {
        const auto& answered = bench_->answered();
        const TimePs span = answered.back().completed - answered[first].completed;
        return static_cast<double>(span) / 1000.0 /
               static_cast<double>(answered.size() - 1 - first);
    }

    std::unique_ptr<DriveBench> bench_;
};

// ---- one at a time ------------------------------------------------------------------------------

TEST_F(DriveLatencyTest, AReadFromFlashIsCommandTrReadOutAndLink) {
    play({"host.queue_depth=1", "precondition.fill=1.0"}, pages(RequestOp::kRead, range(0, 20)));
    for (const TimePs latency : latencies()) {
        EXPECT_EQ(latency, kCommand + kTr + kPage + kLink);
    }
    EXPECT_EQ(bench_->shadow().checked().flash, 20u);
}

/// One die of four planes, all of which a command of four pages needs.
std::vector<std::string> four_planes(const std::vector<std::string>& more) {
    std::vector<std::string> all{"host.queue_depth=1",    "nand.channels=1",
                                 "nand.ways=1",           "nand.planes=4",
                                 "nand.multi_plane=true", "nand.multi_plane_read=true"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}
constexpr TimePs kPlaneChange = kCommand; // seven cycles, too

TEST_F(DriveLatencyTest, AReadOverThePlanesOfAnIdleDieTakesOneTr) {
    play(four_planes({"precondition.fill=1.0"}),
         pages(RequestOp::kRead, {0, 4, 8, 12}, 4 * kPageBytes));
    const TimePs formula = 4 * kCommand + kTr + 4 * (kPlaneChange + kPage) + kLink;
    EXPECT_EQ(latencies(), std::vector<TimePs>(4, formula));
    EXPECT_EQ(bench_->ssd().channel(0).statistics().grants, 4 * (1u + 4u));
}

TEST_F(DriveLatencyTest, AWriteOverThePlanesOfAnIdleDieTakesOneTprog) {
    play(four_planes({"buffer.policy=none"}),
         pages(RequestOp::kWrite, {0, 4, 8, 12}, 4 * kPageBytes));
    const TimePs formula = 4 * kLink + 4 * (kCommand + kPage) + kTprog;
    EXPECT_EQ(latencies(), std::vector<TimePs>(4, formula));
    EXPECT_EQ(bench_->ssd().channel(0).statistics().grants, 4u);
}

TEST_F(DriveLatencyTest, AReadOfASectorMovesAllOfThePageButTheLink) {
    play({"host.queue_depth=1", "precondition.fill=1.0"},
         pages(RequestOp::kRead, range(0, 5), 512));
    for (const TimePs latency : latencies()) {
        EXPECT_EQ(latency, kCommand + kTr + kPage + kLink / 4);
    }
}

TEST_F(DriveLatencyTest, AReadOfWhatTheBufferHoldsIsTheLink) {
    play({"host.queue_depth=1"},
         pages(RequestOp::kWrite, range(0, 8)) + pages(RequestOp::kRead, range(0, 8)));
    for (const TimePs latency : latencies()) { // the writes as well: frames are free
        EXPECT_EQ(latency, kLink);
    }
    EXPECT_EQ(bench_->shadow().checked().frames, 8u);
}

TEST_F(DriveLatencyTest, AReadOfWhatWasNeverWrittenIsTheLink) {
    play({"host.queue_depth=1"},
         pages(RequestOp::kRead, range(3, 4)) + pages(RequestOp::kWrite, {0}));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(5, kLink)));
    EXPECT_EQ(bench_->ssd().buffer_manager().statistics().zero_reads, 4u);
}

const std::vector<std::string> kWritesParts{"host.queue_depth=1", "precondition.fill=1.0",
                                            "buffer.policy=none", "ftl.unit=2KiB"};
constexpr TimePs kPartProgrammed = kCommand + kPage + kTprog; // data cross the link meanwhile

TEST_F(DriveLatencyTest, AWriteOfAPartReadsItsPage) {
    play(kWritesParts, pages(RequestOp::kWrite, range(0, 4), 512));
    EXPECT_EQ(latencies(), (std::vector<TimePs>(4, kPartProgrammed + kCommand + kTr + kPage)));
}

TEST_F(DriveLatencyTest, WhereColumnsChangeAWriteOfAPartReadsTheRestOfItsPageAndNoMore) {
    std::vector<std::string> drive = kWritesParts;
    drive.emplace_back("nand.column_change=true");
    play(drive, pages(RequestOp::kWrite, range(0, 4), 512)); // the first sector of four
    EXPECT_EQ(latencies(),
              (std::vector<TimePs>(4, kPartProgrammed + kCommand + kTr + kPage / 4 * 3)));
}

TEST_F(DriveLatencyTest, AWriteThroughIsLinkTransferAndTprog) {
    play({"host.queue_depth=1", "buffer.policy=none"}, pages(RequestOp::kWrite, range(0, 20)));
    for (const TimePs latency : latencies()) {
        EXPECT_EQ(latency, kLink + kCommand + kPage + kTprog);
    }
}

// The page read and the program that frees its frame begin together, on two channels.
TEST_F(DriveLatencyTest, AReadIntoAFullBufferWaitsForItsFrameWhenItsDataHaveCome) {
    constexpr TimePs kRead = kCommand + kTr + kPage;
    constexpr TimePs kFree = kCommand + kPage + kTprog;
    play({"host.queue_depth=1", "buffer.size=2KiB", "buffer.cache_reads=true",
          "precondition.fill=1.0"},
         pages(RequestOp::kWrite, {0}) + pages(RequestOp::kRead, {1}));
    const Answered& read = bench_->answered()[1];
    EXPECT_EQ(read.flash, kRead);
    EXPECT_EQ(read.frame_wait, kFree - kRead);
    EXPECT_EQ(latencies(1), (std::vector<TimePs>{kFree + kLink}));
    EXPECT_EQ(bench_->ssd().buffer_manager().statistics().stall, kFree - kRead);
}

TEST_F(DriveLatencyTest, AWriteIntoAFullBufferWaitsForItsVictim) {
    play({"host.queue_depth=1", "buffer.size=2KiB"}, pages(RequestOp::kWrite, range(0, 20)));
    for (const TimePs latency : latencies(1)) {
        EXPECT_EQ(latency, kCommand + kPage + kTprog + kLink);
    }
    for (std::size_t id = 1; id < 20; ++id) {
        EXPECT_EQ(bench_->answered()[id].frame_wait, kCommand + kPage + kTprog);
    }
}

TEST_F(DriveLatencyTest, AWriteWithForceUnitAccessWaitsForItsProgramAndLeavesTheBuffer) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, {0, 0, 1, 0});
    requests[1].fua = requests[2].fua = true; // a hit and a miss
    play({"host.queue_depth=1"}, requests);
    EXPECT_EQ(latencies()[0], kLink);
    EXPECT_EQ(latencies()[1], kLink + kCommand + kPage + kTprog);
    EXPECT_EQ(latencies()[2], kLink + kCommand + kPage + kTprog);
    EXPECT_EQ(latencies()[3], kLink);
    EXPECT_EQ(bench_->ssd().core().buffer()->used(), 1u);
    EXPECT_EQ(bench_->ssd().core().buffer_counters().write_hits, 1u);
}

// A full buffer whose victims would leave 4 at a time: nobody leaves, nobody waits for a frame.
TEST_F(DriveLatencyTest, AWriteWithForceUnitAccessIntoAFullBufferWaitsForItsOwnProgramOnly) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, {0, 1, 2, 3, 8});
    requests[4].fua = true;
    play({"host.queue_depth=1", "buffer.size=8KiB", "buffer.eviction=cave"}, requests);
    EXPECT_EQ(latencies()[4], kLink + kCommand + kPage + kTprog);
    EXPECT_EQ(bench_->answered()[4].frame_wait, 0u);
    EXPECT_EQ(bench_->ssd().core().buffer()->used(), 4u);
    EXPECT_EQ(bench_->programs(), 1u);
}

// CAVE, section 4.2: four victims on two channels of two dies take two transfers and one tPROG.
TEST_F(DriveLatencyTest, ACaveInsertWaitsForItsWholeBatch) {
    play({"host.queue_depth=1", "buffer.size=8KiB", "buffer.eviction=cave"},
         pages(RequestOp::kWrite, range(0, 5)));
    EXPECT_EQ(latencies(4)[0], 2 * (kCommand + kPage) + kTprog + kLink);
}

TEST_F(DriveLatencyTest, ACaveInsertMayWaitForTheFirstPageOfItsBatchOnly) {
    play({"host.queue_depth=1", "buffer.size=8KiB", "buffer.eviction=cave",
          "buffer.cave.block=first"},
         pages(RequestOp::kWrite, range(0, 5)));
    EXPECT_EQ(latencies(4)[0], kCommand + kPage + kTprog + kLink);
}

TEST_F(DriveLatencyTest, ASataReadAddsTheFramesOfCommandDataAndStatus) {
    const SataLink link(3, 600 * kNs); // as by default
    play(
        {"host.queue_depth=1", "host.interface=sata", "host.generation=3", "precondition.fill=1.0"},
        pages(RequestOp::kRead, range(0, 5)));
    for (const TimePs latency : latencies()) {
        EXPECT_EQ(latency, link.command_time(RequestOp::kRead, 2048) + kCommand + kTr + kPage +
                               link.data_time(RequestOp::kRead, 0, kPageBytes) +
                               link.status_time(RequestOp::kRead));
    }
}

TEST_F(DriveLatencyTest, ASataReadWithoutHandshakesTakesItsDwords) {
    const SataLink link(3);
    play({"host.queue_depth=1", "host.interface=sata", "host.generation=3",
          "host.sata.handshake=0ns", "precondition.fill=1.0"},
         pages(RequestOp::kRead, range(0, 5)));
    // Two register FISes, DMA Setup, one of data, Set Device Bits.
    constexpr std::uint64_t kDwords = 2 * (5 + 9) + (7 + 9) + (1 + 9 + kPageBytes / 4) + (2 + 9);
    for (const TimePs latency : latencies()) {
        EXPECT_NEAR(static_cast<double>(latency - (kCommand + kTr + kPage)),
                    static_cast<double>(kDwords) * 4 / 0.6 * 1000 * 256 / 254, 10);
    }
}

TEST_F(DriveLatencyTest, AMultiPageReadOverlapsOnItsDies) {
    // Pages 0..3 lie on four dies, two a channel; the link is the last to be done.
    play({"host.queue_depth=1", "precondition.fill=1.0"},
         pages(RequestOp::kRead, {0}, 4 * kPageBytes));
    // Second die of a channel: its command waits for the first's, its read-out for the first's.
    const TimePs second_out = kCommand + kTr + 2 * kPage;
    EXPECT_EQ(latencies()[0], second_out + 2 * kLink);
}

// Written into staging and read from it: twice 2 KiB at 6.4 GB/s and twice the latency of an
// access, below 50 ns without queue.
TEST_F(DriveLatencyTest, ABankedSdramAddsTwoAccessesToAReadFromFlash) {
    play({"host.queue_depth=1", "precondition.fill=1.0", "dram.model=banked"},
         pages(RequestOp::kRead, range(0, 20)));
    for (const TimePs latency : latencies()) {
        const TimePs sdram = latency - (kCommand + kTr + kPage + kLink);
        EXPECT_GE(sdram, 2 * 320 * kNs);
        EXPECT_LE(sdram, 2 * 370 * kNs + 260 * kNs); // a refresh may come in between
    }
}

TEST_F(DriveLatencyTest, APageOfATlcBlockTakesTheTimeOfItsType) {
    play({"host.queue_depth=1", "nand.t_program=[\"100us\",\"200us\",\"300us\"]",
          "nand.pages_per_block=12", "buffer.policy=none", "nand.channels=1", "nand.ways=1"},
         pages(RequestOp::kWrite, range(0, 12)));
    for (std::size_t id = 0; id < 12; ++id) {
        EXPECT_EQ(latencies()[id], kLink + kCommand + kPage + (1 + id % 3) * 100 * kUs);
    }
}

// ---- saturated ----------------------------------------------------------------------------------

// 63.57 us on the bus and 200 us in the array: with four ways the dies are the limit, with eight
// the bus.
TEST_F(DriveLatencyTest, FourWaysProgramAtTheRateOfTheDies) {
    play({"buffer.policy=none", "nand.channels=1", "nand.ways=4", "host.bandwidth=8GB/s"},
         pages(RequestOp::kWrite, range(0, 200)));
    EXPECT_NEAR(spacing_ns(20), (63'570.0 + 200'000.0) / 4, 700);
}

TEST_F(DriveLatencyTest, EightWaysProgramAtTheRateOfTheBus) {
    play({"buffer.policy=none", "nand.channels=1", "nand.ways=8", "host.bandwidth=8GB/s"},
         pages(RequestOp::kWrite, range(0, 400)));
    EXPECT_NEAR(spacing_ns(20), 63'570.0, 300);
    EXPECT_GT(static_cast<double>(bench_->ssd().channel(0).statistics().busy),
              0.98 * static_cast<double>(bench_->answered().back().completed - 300 * kUs));
}

// Taken in turn, the next commands of four ways wait until all four have been read out; then the
// bus is idle for a tR while all four fetch their pages.
constexpr double kReadRound = 4 * 63'570.0 + 25'000.0;

TEST_F(DriveLatencyTest, FourWaysReadInRoundsOfFourReadOutsAndOneTr) {
    play({"nand.channels=1", "nand.ways=4", "host.bandwidth=8GB/s", "precondition.fill=1.0"},
         pages(RequestOp::kRead, range(0, 220)));
    EXPECT_NEAR(spacing_ns(19), kReadRound / 4, 400);
}

TEST_F(DriveLatencyTest, TwoChannelsReadTwiceAsFast) {
    play({"nand.channels=2", "nand.ways=4", "host.bandwidth=8GB/s", "precondition.fill=1.0"},
         pages(RequestOp::kRead, range(0, 440)));
    EXPECT_NEAR(spacing_ns(39), kReadRound / 8, 400);
}

TEST_F(DriveLatencyTest, HitsAreServedAtTheRateOfTheLink) {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, range(0, 8));
    for (int times = 0; times < 10; ++times) {
        requests = requests + pages(RequestOp::kRead, range(0, 8));
    }
    play({}, requests);
    EXPECT_DOUBLE_EQ(spacing_ns(0), 10'240.0);
    EXPECT_EQ(bench_->ssd().host().transport().link_busy(), 88 * kLink);
}

/// Reads are of pages never written, so that nothing but the link is in their way.
std::vector<HostRequest> half_reads_half_writes() {
    std::vector<HostRequest> requests = pages(RequestOp::kWrite, range(0, 8));
    for (std::uint64_t i = 0; i < 80; ++i) {
        requests =
            requests + pages(RequestOp::kRead, {8 + i % 8}) + pages(RequestOp::kWrite, {i % 8});
    }
    return requests;
}

TEST_F(DriveLatencyTest, AFullDuplexLinkIsBusyOnlyAsLongAsItsBusierSide) {
    play({"host.duplex=full"}, half_reads_half_writes());
    EXPECT_EQ(bench_->answered().back().completed, 88 * kLink);
}

TEST_F(DriveLatencyTest, AHalfDuplexLinkCarriesBothSidesOneAfterTheOther) {
    play({"host.duplex=half"}, half_reads_half_writes());
    EXPECT_EQ(bench_->answered().back().completed, 168 * kLink);
}

// Four planes: four transfers and one tPROG for four pages.
TEST_F(DriveLatencyTest, MultiPlaneProgramsShareOneTprog) {
    play({"buffer.policy=none", "nand.channels=1", "nand.ways=1", "nand.planes=4",
          "alloc.scheme=pcwd", "host.bandwidth=8GB/s"},
         pages(RequestOp::kWrite, range(0, 100)));
    EXPECT_NEAR(spacing_ns(19), (4 * 63'570.0 + 200'000.0) / 4, 1); // from group to group
}

TEST_F(DriveLatencyTest, WithoutMultiPlaneEachPageTakesItsOwnTprog) {
    play({"buffer.policy=none", "nand.channels=1", "nand.ways=1", "nand.planes=4",
          "alloc.scheme=pcwd", "host.bandwidth=8GB/s", "nand.multi_plane=false"},
         pages(RequestOp::kWrite, range(0, 100)));
    EXPECT_NEAR(spacing_ns(20), 63'570.0 + 200'000.0, 1000);
}

} // namespace
} // namespace cavern::testing
