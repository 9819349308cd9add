// The host's side of the drive against a device that does as it is told: who may issue when, what
// occupies the link for how long, from when latency counts, what the statistics leave out.

#include "timed/host/host_interface.h"

#include <gtest/gtest.h>
#include <map>

#include "core/base/error.h"
#include "tests/timed/host/host_bench.h"

namespace cavern::testing {
namespace {

using D = std::vector<std::uint64_t>;

class HostInterfaceTest : public HostBench {
  protected:
    D done_order_;
};

HostInterface::Params open_loop(std::uint32_t depth = 32) {
    HostInterface::Params params;
    params.queue_depth = depth;
    return params;
}
HostInterface::Params closed_loop(std::uint32_t depth) {
    HostInterface::Params params = open_loop(depth);
    params.closed_loop = true;
    return params;
}

// 200 MB/s: 2048 bytes in 10.24 us.
constexpr std::uint64_t kRate = 200'000'000;
constexpr TimePs kData = 10'240 * kNs;

// ---- the direct link ----------------------------------------------------------------------------

TEST_F(HostInterfaceTest, ADirectLinkCarriesOnlyData) {
    const DirectLink link(kRate, false);
    build(link);
    device_.moves_data = true;
    device_.service = 3 * kUs;
    add(RequestOp::kRead, 5 * kUs);
    add(RequestOp::kFlush, 100 * kUs);
    finish();
    EXPECT_EQ(done_, (std::vector<Done>{{0, 5 * kUs, 5 * kUs, 8 * kUs + kData},
                                        {1, 100 * kUs, 100 * kUs, 103 * kUs}}));
    EXPECT_EQ(host_->transport().link_busy(), kData);
}

TEST_F(HostInterfaceTest, ATrimOfManyGigabytesReachesTheDeviceWhole) {
    const DirectLink link(kRate, false);
    build(link);
    device_.service = 3 * kUs;
    HostRequest trim;
    trim.op = RequestOp::kTrim;
    trim.bytes = std::uint64_t{5} << 30;
    source_.list.push_back(trim);
    finish();
    EXPECT_EQ(device_.bytes, (std::vector<std::uint64_t>{trim.bytes}));
    EXPECT_EQ(host_->statistics().by_op[static_cast<std::size_t>(RequestOp::kTrim)].bytes,
              trim.bytes);
}

// A device of others may tell of the end beforehand.
TEST_F(HostInterfaceTest, AnAnswerAheadOfItsTimeIsTakenAtItsTime) {
    const DirectLink link(kRate, false);
    build(link, closed_loop(1));
    device_.answers_ahead = 7 * kUs;
    add(RequestOp::kWrite);
    add(RequestOp::kFlush);
    finish();
    EXPECT_EQ(done_, (std::vector<Done>{{0, 0, 0, 7 * kUs}, {1, 7 * kUs, 7 * kUs, 14 * kUs}}));
}

TEST_F(HostInterfaceTest, AHalfDuplexLinkCarriesOneTransferAtATime) {
    const DirectLink link(kRate, false);
    build(link);
    device_.moves_data = true;
    add(RequestOp::kRead);
    add(RequestOp::kWrite);
    add(RequestOp::kRead);
    finish();
    EXPECT_EQ(done_[0].completed, kData);
    EXPECT_EQ(done_[1].completed, 2 * kData);
    EXPECT_EQ(done_[2].completed, 3 * kData);
    EXPECT_EQ(host_->transport().link_busy(), 3 * kData);
}

TEST_F(HostInterfaceTest, AFullDuplexLinkCarriesOneEachWay) {
    const DirectLink link(kRate, true);
    build(link);
    device_.moves_data = true;
    add(RequestOp::kRead);
    add(RequestOp::kWrite);
    add(RequestOp::kRead);
    finish();
    EXPECT_EQ(device_.moved_at[0], kData);
    EXPECT_EQ(device_.moved_at[1], kData);
    EXPECT_EQ(device_.moved_at[2], 2 * kData);
}

TEST_F(HostInterfaceTest, TransfersAreServedInTheOrderAsked) {
    const DirectLink link(kRate, false);
    build(link);
    device_.moves_data = true;
    device_.hold = true;
    for (int i = 0; i < 3; ++i) {
        add(RequestOp::kWrite);
    }
    device_.script.at(1 * kUs, [this] {
        device_.serve(2);
        device_.serve(0);
        device_.serve(1);
    });
    finish();
    EXPECT_EQ(device_.moved_at[2], 1 * kUs + kData);
    EXPECT_EQ(device_.moved_at[0], 1 * kUs + 2 * kData);
    EXPECT_EQ(device_.moved_at[1], 1 * kUs + 3 * kData);
}

// ---- SATA ---------------------------------------------------------------------------------------

TEST_F(HostInterfaceTest, SataCommandsDataAndStatusShareTheLink) {
    const SataLink link(2);
    build(link);
    device_.moves_data = true;
    add(RequestOp::kWrite);
    add(RequestOp::kWrite);
    finish();
    const TimePs command = link.command_time(RequestOp::kWrite, 2048);
    const TimePs data = link.data_time(RequestOp::kWrite, 0, 2048);
    const TimePs status = link.status_time(RequestOp::kWrite);
    // Both commands are on their way before the first can ask for its data.
    EXPECT_EQ(device_.dispatched_at[0], command);
    EXPECT_EQ(device_.dispatched_at[1], 2 * command);
    EXPECT_EQ(device_.moved_at[0], 2 * command + data);
    EXPECT_EQ(device_.moved_at[1], 2 * command + 2 * data);
    // The first completion waits for the second's data, and then stands for both.
    EXPECT_EQ(done_[0].completed, 2 * command + 2 * data + status);
    EXPECT_EQ(done_[1].completed, done_[0].completed);
    EXPECT_EQ(host_->transport().link_busy(), 2 * (command + data) + status);
}

TEST_F(HostInterfaceTest, AnUnloadedSataReadIsTheSumOfItsFrames) {
    const SataLink link(3);
    build(link);
    device_.moves_data = true;
    device_.service = 50 * kUs;
    add(RequestOp::kRead, 0, 131'072);
    finish();
    EXPECT_EQ(done_[0].completed, link.command_time(RequestOp::kRead, 2048) + 50 * kUs +
                                      link.data_time(RequestOp::kRead, 0, 131'072) +
                                      link.status_time(RequestOp::kRead));
}

TEST_F(HostInterfaceTest, ASataCompletionWaitsForOneFrameOfDataNotForAll) {
    const SataLink link(2);
    build(link);
    device_.hold = true;
    device_.moves_data = true;
    add(RequestOp::kRead, 0, 2048);
    add(RequestOp::kRead, 0, 1 << 20);
    device_.script.at(100 * kUs, [this] { device_.serve(1); });
    device_.script.at(200 * kUs, [this] { device_.answer(0); });
    finish();
    EXPECT_EQ(done_[0].id, 0u);
    EXPECT_EQ(done_[0].completed,
              200 * kUs + link.longest_frame() + link.status_time(RequestOp::kRead));
    EXPECT_GT(device_.moved_at[1], 3 * kMs);
}

TEST_F(HostInterfaceTest, SataDataOfAnotherCommandNeedTheirOwnDmaSetup) {
    const SataLink link(2);
    const RequestOp read = RequestOp::kRead;
    LinkTransport transport(clock_, std::make_unique<SataLink>(link), 0);
    TimePs until = 0;
    const auto move = [&](std::uint64_t address, std::uint32_t moved_before) {
        const TimePs before = until;
        until = transport.move_data({MoveDirection::kWrite, address, 2048, moved_before});
        return until - before;
    };
    const TimePs first = link.data_time(read, 0, 2048);
    const TimePs further = link.data_time(read, 2048, 2048);
    EXPECT_LT(further, first);
    EXPECT_EQ(move(0, 0), first);
    EXPECT_EQ(move(2048, 2048), further);
    EXPECT_EQ(move(8192, 0), first);    // another command
    EXPECT_EQ(move(4096, 4096), first); // back to the one before
    EXPECT_EQ(move(6144, 6144), further);
    EXPECT_EQ(move(2048, 8192), first); // out of order within a command
}

TEST_F(HostInterfaceTest, AQueuedTrimRunsWithOthersOnSata) {
    const SataLink link(3, 0, true);
    build(link);
    device_.service = 20 * kUs;
    for (const RequestOp op : {RequestOp::kWrite, RequestOp::kTrim, RequestOp::kRead}) {
        add(op);
    }
    finish();
    EXPECT_EQ(device_.most, 3u);
}

TEST_F(HostInterfaceTest, SataCommandsCompleteInTheOrderTheDeviceLikes) {
    const SataLink link(3);
    build(link);
    device_.hold = true;
    for (int i = 0; i < 3; ++i) {
        add(RequestOp::kRead);
    }
    for (const std::uint64_t id : {2, 0, 1}) {
        device_.script.at((10 + 5 * done_order_.size()) * kUs, [this, id] { device_.answer(id); });
        done_order_.push_back(id);
    }
    finish();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(done_[i].id, done_order_[i]);
    }
}

TEST_F(HostInterfaceTest, FlushAndTrimRunAloneOnSata) {
    const SataLink link(3);
    build(link);
    device_.service = 20 * kUs;
    for (const RequestOp op : {RequestOp::kWrite, RequestOp::kWrite, RequestOp::kFlush,
                               RequestOp::kWrite, RequestOp::kTrim, RequestOp::kRead}) {
        add(op);
    }
    finish();
    EXPECT_EQ(device_.dispatched, (D{0, 1, 2, 3, 4, 5}));
    std::map<std::uint64_t, Done> by_id;
    for (const Done& done : done_) {
        by_id[done.id] = done;
    }
    EXPECT_LT(by_id[1].dispatch, by_id[0].completed); // writes overlap
    EXPECT_GT(by_id[2].dispatch, by_id[1].completed); // the flush waits for both
    EXPECT_GT(by_id[3].dispatch, by_id[2].completed); // and holds up what follows
    EXPECT_GT(by_id[4].dispatch, by_id[3].completed);
    EXPECT_GT(by_id[5].dispatch, by_id[4].completed);
    EXPECT_EQ(by_id[2].dispatch, by_id[1].completed + link.command_time(RequestOp::kFlush, 2048));
}

TEST_F(HostInterfaceTest, FlushAndTrimRunWithOthersOnADirectLink) {
    const DirectLink link(kRate, false);
    build(link);
    device_.service = 20 * kUs;
    for (const RequestOp op : {RequestOp::kWrite, RequestOp::kFlush, RequestOp::kTrim}) {
        add(op);
    }
    finish();
    EXPECT_EQ(device_.most, 3u);
    EXPECT_EQ(device_.dispatched_at[2], 0u);
}

// ---- tags and arrival ---------------------------------------------------------------------------

TEST_F(HostInterfaceTest, TheThirtyThirdCommandWaitsForATag) {
    const DirectLink link(kRate, false);
    build(link, open_loop(32));
    device_.hold = true;
    for (int i = 0; i < 40; ++i) {
        add(RequestOp::kWrite);
    }
    device_.script.at(1 * kUs, [this] {
        EXPECT_EQ(device_.dispatched.size(), 32u);
        device_.answer(7); // any one
    });
    device_.script.at(2 * kUs, [this] {
        ASSERT_EQ(device_.dispatched.size(), 33u);
        EXPECT_EQ(device_.dispatched_at[32], 1 * kUs); // at the moment the tag was free
        while (!device_.held.empty()) {
            device_.answer(device_.held.begin()->first);
        }
    });
    finish();
    EXPECT_EQ(device_.most, 32u);
    EXPECT_EQ(done_[0].id, 7u);
}

TEST_F(HostInterfaceTest, OpenLoopLatencyCountsFromArrivalAlsoWithoutATag) {
    const DirectLink link(kRate, false);
    build(link, open_loop(1));
    device_.service = 10 * kUs;
    add(RequestOp::kWrite, 1 * kUs);
    add(RequestOp::kWrite, 2 * kUs);
    add(RequestOp::kWrite, 50 * kUs);
    finish();
    EXPECT_EQ(done_, (std::vector<Done>{{0, 1 * kUs, 1 * kUs, 11 * kUs},
                                        {1, 2 * kUs, 11 * kUs, 21 * kUs},
                                        {2, 50 * kUs, 50 * kUs, 60 * kUs}}));
    const Histogram& latency =
        host_->statistics().by_op[static_cast<std::size_t>(RequestOp::kWrite)].latency_ns;
    EXPECT_EQ(latency.max(), 19'000u);
    EXPECT_EQ(latency.min(), 10'000u);
}

TEST_F(HostInterfaceTest, InAClosedLoopARequestArrivesWhenATagIsFree) {
    const DirectLink link(kRate, false);
    build(link, closed_loop(2));
    device_.service = 10 * kUs;
    for (int i = 0; i < 6; ++i) {
        add(RequestOp::kWrite, 777 * kMs); // arrival times of the workload do not count
    }
    finish();
    for (std::size_t i = 0; i < 6; ++i) {
        const TimePs begin = (i / 2) * 10 * kUs;
        EXPECT_EQ(done_[i], (Done{i, begin, begin, begin + 10 * kUs}));
    }
    EXPECT_EQ(device_.most, 2u);
}

TEST_F(HostInterfaceTest, TheTurnaroundDelaysEachCommandOnItsWay) {
    const DirectLink link(kRate, false);
    build(link, open_loop(1), 4 * kUs);
    device_.service = 10 * kUs;
    add(RequestOp::kWrite);
    add(RequestOp::kWrite);
    finish();
    EXPECT_EQ(done_, (std::vector<Done>{{0, 0, 4 * kUs, 14 * kUs}, {1, 0, 18 * kUs, 28 * kUs}}));
}

TEST_F(HostInterfaceTest, CommandsReachTheDeviceInTheOrderOfTheWorkload) {
    const DirectLink link(kRate, false);
    build(link, open_loop(8), 3 * kUs);
    for (std::uint32_t i = 0; i < 100; ++i) {
        add(RequestOp::kRead, (i / 3) * kUs);
    }
    finish();
    for (std::uint64_t id = 0; id < 100; ++id) {
        EXPECT_EQ(device_.dispatched[id], id);
    }
}

TEST_F(HostInterfaceTest, ARequestOfTheFutureIsIssuedAtItsTime) {
    const DirectLink link(kRate, false);
    build(link);
    add(RequestOp::kRead, 0);
    add(RequestOp::kRead, 123'456'789);
    finish();
    EXPECT_EQ(device_.dispatched_at[1], 123'456'789u);
}

TEST_F(HostInterfaceTest, AnEmptyWorkloadIsFinishedAtOnce) {
    const DirectLink link(kRate, false);
    build(link);
    finish();
    EXPECT_EQ(host_->dispatched(), 0u);
}

TEST_F(HostInterfaceTest, TheListenerMayEndTheWorkload) {
    const DirectLink link(kRate, false);
    build(link, open_loop(2));
    device_.service = 10 * kUs;
    for (int i = 0; i < 6; ++i) {
        add(RequestOp::kRead);
    }
    take_ = 3;
    run();
    EXPECT_EQ(host_->dispatched(), 3u);
    EXPECT_EQ(host_->completed(), 3u);
    EXPECT_EQ(finished_, 1);
    EXPECT_GT(host_->check_idle(), 0u);
}

// ---- statistics ---------------------------------------------------------------------------------

TEST_F(HostInterfaceTest, TheWindowRunsFromTheFirstArrivalToTheLastCompletion) {
    const DirectLink link(kRate, false);
    build(link);
    device_.service = 10 * kUs;
    add(RequestOp::kRead, 5 * kUs, 4096);
    add(RequestOp::kTrim, 7 * kUs, 8192);
    add(RequestOp::kWrite, 9 * kUs, 512);
    finish();
    const HostInterface::Statistics& statistics = host_->statistics();
    EXPECT_EQ(statistics.window_begin, 5 * kUs);
    EXPECT_EQ(statistics.window_end, 19 * kUs);
    EXPECT_EQ(statistics.window_requests, 3u);
    EXPECT_EQ(statistics.window_bytes, 4096u + 512u); // a trim moves none
    EXPECT_EQ(statistics.by_op[static_cast<std::size_t>(RequestOp::kRead)].bytes, 4096u);
    EXPECT_EQ(statistics.by_op[static_cast<std::size_t>(RequestOp::kTrim)].latency_ns.count(), 1u);
}

TEST_F(HostInterfaceTest, WarmUpRequestsAreLeftOutAndTheWindowBeginsWithTheCompletionThatEndsIt) {
    const DirectLink link(kRate, false);
    HostInterface::Params params = open_loop(1);
    params.warmup = 2;
    build(link, params);
    device_.service = 10 * kUs;
    for (int i = 0; i < 5; ++i) {
        add(RequestOp::kRead);
    }
    left_out_ = 2;
    finish();
    EXPECT_EQ(done_.front().id, 2u);
    const HostInterface::Statistics& statistics = host_->statistics();
    EXPECT_EQ(statistics.by_op[static_cast<std::size_t>(RequestOp::kRead)].latency_ns.count(), 3u);
    EXPECT_EQ(statistics.window_begin, 20 * kUs); // when the second was done
    EXPECT_EQ(statistics.window_end, 50 * kUs);
    EXPECT_EQ(statistics.window_requests, 3u);
    EXPECT_EQ(statistics.window_bytes, 3u * 2048u);
}

// A slow request of the warm-up completes within the window: the window counts completions, the
// latencies only requests after the warm-up.
TEST_F(HostInterfaceTest, ASlowWarmUpRequestCountsForTheRateButNotForTheLatency) {
    const DirectLink link(kRate, false);
    HostInterface::Params params = open_loop(4);
    params.warmup = 1;
    build(link, params);
    device_.hold = true;
    for (int i = 0; i < 3; ++i) {
        add(RequestOp::kRead);
    }
    left_out_ = 1;
    device_.script.at(10 * kUs, [this] { device_.answer(1); });
    device_.script.at(20 * kUs, [this] { device_.answer(2); });
    device_.script.at(30 * kUs, [this] { device_.answer(0); });
    finish();
    const HostInterface::Statistics& statistics = host_->statistics();
    EXPECT_EQ(statistics.by_op[static_cast<std::size_t>(RequestOp::kRead)].latency_ns.count(), 2u);
    EXPECT_EQ(statistics.by_op[static_cast<std::size_t>(RequestOp::kRead)].latency_ns.max(),
              20'000u);
    EXPECT_EQ(statistics.window_begin, 10 * kUs);
    EXPECT_EQ(statistics.window_requests, 2u);
}

// ---- a device that errs -------------------------------------------------------------------------

TEST_F(HostInterfaceTest, ACommandLeftUnansweredIsReported) {
    const DirectLink link(kRate, false);
    build(link);
    device_.hold = true;
    add(RequestOp::kRead);
    run();
    EXPECT_THROW(static_cast<void>(host_->check_idle()), ModelError);
    EXPECT_EQ(finished_, 0);
}

TEST_F(HostInterfaceTest, AnAnswerUnderAnotherTagStopsTheRun) {
    const DirectLink link(kRate, false);
    build(link);
    device_.hold = true;
    add(RequestOp::kRead);
    add(RequestOp::kRead);
    device_.script.at(1 * kUs, [this] {
        HostCommandExtension::find(*device_.held.at(0))->tag =
            HostCommandExtension::find(*device_.held.at(1))->tag;
        device_.answer(0);
    });
    EXPECT_NE(run_to_error().find("the device answers what it was given, and once: command 0"),
              std::string::npos);
}

TEST_F(HostInterfaceTest, ACommandThatFailsStopsTheRun) {
    const DirectLink link(kRate, false);
    build(link);
    device_.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    add(RequestOp::kRead);
    EXPECT_NE(run_to_error().find("the device carries out every command"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
