// A drive that takes requests while it runs: the times are those of a trace with the same arrivals.

#include "drive/live_drive.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "drive/core_builder.h"
#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

class LiveDriveTest : public SystemcTest, private RequestLogIf {
  protected:
    void build(const std::vector<std::string>& more = {}) {
        std::vector<std::string> all{"dram.model=ideal", "alloc.scheme=cwdp"};
        all.insert(all.end(), more.begin(), more.end());
        const SsdConfig config = small_drive(all);
        SsdProbes probes;
        probes.requests = this;
        drive_ = std::make_unique<LiveDrive>(config, build_core(config, nullptr), probes);
    }
    std::uint64_t submit(LiveOp op, std::uint64_t offset = 0, std::uint64_t bytes = 0,
                         bool fua = false) {
        return drive_->submit({op, fua, false, offset, bytes, 7});
    }
    /// Until nothing is outstanding; what completed, in this order.
    std::vector<LiveCompletion> drain() {
        std::vector<LiveCompletion> all;
        while (drive_->outstanding() != 0) {
            drive_->step_to_completion(kNever);
            take(all);
        }
        return all;
    }
    void take(std::vector<LiveCompletion>& all) {
        for (LiveCompletion done; drive_->poll(done);) {
            all.push_back(done);
        }
    }
    void expect_sound() {
        EXPECT_TRUE(drive_->finish());
        EXPECT_GT(drive_->ssd().check_end_of_run(), 0u);
    }

    std::unique_ptr<LiveDrive> drive_;
    std::vector<HostRequest> commands_; ///< of the host, as they were completed

  private:
    void completed(const CompletedRequest& request) override {
        commands_.push_back(request.request);
    }
};

TEST_F(LiveDriveTest, TimeStandsStillWithoutAStep) {
    build({"precondition.fill=1.0"});
    submit(LiveOp::kRead, 0, kPageBytes);
    LiveCompletion done;
    EXPECT_FALSE(drive_->poll(done));
    EXPECT_EQ(drive_->now(), 0u);
    drive_->step_to(1);
    EXPECT_EQ(drive_->now(), 1u);
    EXPECT_EQ(drive_->outstanding(), 1u);
    drive_->step_to(0); // is past
    EXPECT_EQ(drive_->now(), 1u);
    expect_sound();
}

TEST_F(LiveDriveTest, AReadCompletesWhenFlashAndLinkHaveMovedIt) {
    build({"precondition.fill=1.0"});
    constexpr TimePs kBegin = 123 * kUs + 4;
    constexpr TimePs kTakes = kCommand + kTr + kPage + kLink;
    drive_->step_to(kBegin);
    EXPECT_EQ(submit(LiveOp::kRead, 3 * kPageBytes, kPageBytes), 0u);
    drive_->step_to(kBegin + kTakes); // not what happens at this very time
    EXPECT_EQ(drive_->outstanding(), 1u);
    drive_->step_to_completion(10 * kSecond);
    EXPECT_EQ(drive_->now(), kBegin + kTakes);
    LiveCompletion done;
    ASSERT_TRUE(drive_->poll(done));
    EXPECT_EQ(done.tag, 7u);
    EXPECT_EQ(done.number, 0u);
    EXPECT_EQ(done.status, LiveStatus::kDone);
    EXPECT_EQ(done.submitted, kBegin);
    EXPECT_EQ(done.completed, kBegin + kTakes);
    EXPECT_FALSE(drive_->poll(done));
    expect_sound();
}

TEST_F(LiveDriveTest, ALimitStopsBeforeACompletion) {
    build({"precondition.fill=1.0"});
    submit(LiveOp::kRead, 0, kPageBytes);
    drive_->step_to_completion(20 * kUs);
    EXPECT_EQ(drive_->now(), 20 * kUs);
    EXPECT_EQ(drive_->outstanding(), 1u);
    EXPECT_EQ(drain().size(), 1u);
    expect_sound();
}

TEST_F(LiveDriveTest, AnIdleDriveCostsNoStepOfTheKernel) {
    build();
    submit(LiveOp::kWrite, 0, kPageBytes);
    drain();
    EXPECT_EQ(drive_->next_event(), kNever);
    const auto deltas = sc_core::sc_delta_count();
    drive_->step_to(drive_->now() + 3600 * kSecond);
    EXPECT_LE(sc_core::sc_delta_count() - deltas, 1u);
    const TimePs before = drive_->now();
    drive_->step_to_completion(kNever);
    EXPECT_EQ(drive_->now(), before); // nothing happens, so no time passes
    submit(LiveOp::kRead, 0, kPageBytes);
    EXPECT_EQ(drive_->next_event(), before);
    EXPECT_EQ(drain().size(), 1u);
    expect_sound();
}

TEST_F(LiveDriveTest, MoreThanTheLinkHasTagsForWait) {
    build({"precondition.fill=1.0", "host.queue_depth=2"});
    for (std::uint64_t i = 0; i < 9; ++i) {
        EXPECT_EQ(submit(LiveOp::kRead, 0, kPageBytes), i);
    }
    const std::vector<LiveCompletion> done = drain();
    ASSERT_EQ(done.size(), 9u);
    for (std::uint64_t i = 0; i < 9; ++i) { // one die, one after the other
        EXPECT_EQ(done[i].number, i);
        EXPECT_EQ(done[i].submitted, 0u);
        EXPECT_GE(done[i].completed, (i + 1) * (kTr + kPage));
    }
    EXPECT_EQ(drive_->ssd().host().statistics().by_op[0].latency_ns.max(),
              to_ns(done[8].completed));
    expect_sound();
}

TEST_F(LiveDriveTest, ZerosForgetTheirWholePagesAndWriteTheRest) {
    build();
    submit(LiveOp::kWrite, 0, 8 * kPageBytes);
    submit(LiveOp::kFlush);
    drain();
    EXPECT_EQ(drive_->ssd().core().ftl().mapped_pages(), 8u);
    commands_.clear();
    submit(LiveOp::kWriteZeroes, kPageBytes - 512, 3 * kPageBytes);
    EXPECT_EQ(drain().size(), 1u);
    ASSERT_EQ(commands_.size(), 3u); // in the order of completion: the TRIM moves nothing
    std::sort(commands_.begin(), commands_.end(),
              [](const auto& a, const auto& b) { return a.offset < b.offset; });
    EXPECT_EQ(commands_[0].op, RequestOp::kWrite);
    EXPECT_EQ(commands_[0].offset, kPageBytes - 512u);
    EXPECT_EQ(commands_[0].bytes, 512u);
    EXPECT_EQ(commands_[1].op, RequestOp::kTrim);
    EXPECT_EQ(commands_[1].offset, kPageBytes);
    EXPECT_EQ(commands_[1].bytes, 2 * kPageBytes);
    EXPECT_EQ(commands_[2].op, RequestOp::kWrite);
    EXPECT_EQ(commands_[2].offset, 3 * kPageBytes);
    EXPECT_EQ(commands_[2].bytes, kPageBytes - 512u);
    EXPECT_EQ(drive_->ssd().core().ftl().mapped_pages(), 6u);
    expect_sound();
}

TEST_F(LiveDriveTest, ZerosThatKeepTheirPlaceOrAreSmallerThanAPageAreWritten) {
    build();
    drive_->submit({LiveOp::kWriteZeroes, false, true, 0, 2 * kPageBytes, 0});
    submit(LiveOp::kWriteZeroes, 4 * kPageBytes + 512, kPageBytes - 512);
    submit(LiveOp::kWriteZeroes, 6 * kPageBytes + 512, kPageBytes);
    EXPECT_EQ(drain().size(), 3u);
    ASSERT_EQ(commands_.size(), 3u);
    for (const HostRequest& command : commands_) {
        EXPECT_EQ(command.op, RequestOp::kWrite);
    }
    EXPECT_EQ(commands_[2].bytes, kPageBytes); // of two pages, none whole
    expect_sound();
}

TEST_F(LiveDriveTest, ATrimWithForceUnitAccessIsFollowedByAFlush) {
    build({"buffer.size=64KiB"});
    submit(LiveOp::kWrite, 8 * kPageBytes, kPageBytes);
    submit(LiveOp::kTrim, 0, kPageBytes, true);
    const std::vector<LiveCompletion> done = drain();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done.back().number, 1u);
    EXPECT_GE(done.back().completed, kTprog); // of the page written before
    EXPECT_EQ(commands_.back().op, RequestOp::kFlush);
    expect_sound();
}

TEST_F(LiveDriveTest, AWriteWithForceUnitAccessTakesItsProgram) {
    build({"buffer.size=64KiB"});
    submit(LiveOp::kWrite, 0, kPageBytes, true);
    submit(LiveOp::kWrite, kPageBytes, kPageBytes);
    const std::vector<LiveCompletion> done = drain();
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].number, 1u);
    EXPECT_LT(done[0].completed, kTprog);
    EXPECT_GT(done[1].completed, kTprog);
    expect_sound();
}

TEST_F(LiveDriveTest, WhatDoesNotLieInTheDriveIsAnError) {
    build();
    EXPECT_THROW(submit(LiveOp::kRead, drive_->capacity(), 512), ModelError);
    EXPECT_THROW(submit(LiveOp::kRead, ~std::uint64_t{511}, 1024), ModelError);
    EXPECT_THROW(submit(LiveOp::kRead, 100, 512), ModelError);
    EXPECT_THROW(submit(LiveOp::kRead, 0, 100), ModelError);
    EXPECT_THROW(submit(LiveOp::kRead, 0, 0), ModelError);
    EXPECT_THROW(submit(LiveOp::kFlush, 0, 512), ModelError);
    EXPECT_EQ(submit(LiveOp::kRead, drive_->capacity() - 512, 512), 0u);
    EXPECT_EQ(drain().size(), 1u);
    expect_sound();
}

/// The same requests as a trace, in another drive of the same simulation.
class LiveDriveTwinTest : public LiveDriveTest,
                          public ::testing::WithParamInterface<const char*> {};

TEST_P(LiveDriveTwinTest, TimesAreThoseOfATraceWithTheseArrivals) {
    const std::vector<std::string> settings{
        "dram.model=ideal", "alloc.scheme=cwdp", "precondition.fill=0.8",
        std::string("host.interface=") + GetParam(),
        std::string(GetParam()) == "nvme" ? "host.queues=2" : "host.queues=1"};
    Mix mix;
    mix.mean_gap = 40 * kUs;
    mix.fua = 10;
    const std::vector<HostRequest> requests =
        random_requests(mix, capacity_of(small_drive(settings)), kPageBytes);
    build(settings);
    DriveBench::Options options;
    options.closed_loop = false;
    DriveBench bench("bench", small_drive(settings), requests, options);
    std::vector<LiveCompletion> done;
    for (const HostRequest& request : requests) {
        drive_->step_to(request.arrival);
        LiveRequest live{LiveOp::kRead, request.fua, false, request.offset, request.bytes, 0};
        live.op = request.op == RequestOp::kWrite  ? LiveOp::kWrite
                  : request.op == RequestOp::kTrim ? LiveOp::kTrim
                  : request.op == RequestOp::kRead ? LiveOp::kRead
                                                   : LiveOp::kFlush;
        drive_->submit(live);
        take(done);
    }
    for (const LiveCompletion& last : drain()) {
        done.push_back(last);
    }
    if (drive_->next_event() != kNever) { // of the other drive
        run();
    }
    bench.expect_sound();
    ASSERT_EQ(bench.answered().size(), requests.size());
    ASSERT_EQ(done.size(), requests.size());
    std::size_t late = 0;
    std::map<std::uint64_t, TimePs> completed;
    for (const LiveCompletion& each : done) {
        completed[each.number] = each.completed;
        late += each.completed - each.submitted > kTprog ? 1 : 0;
    }
    for (const Answered& each : bench.answered()) {
        EXPECT_EQ(completed.at(each.id), each.completed) << "request " << each.id;
    }
    EXPECT_GT(late, 50u); // the drive was busy
    EXPECT_EQ(drive_->ssd().core().ftl().counters().gc_pages,
              bench.ssd().core().ftl().counters().gc_pages);
    expect_sound();
}

INSTANTIATE_TEST_SUITE_P(Links, LiveDriveTwinTest, ::testing::Values("sata", "nvme", "direct"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
} // namespace cavern::testing
