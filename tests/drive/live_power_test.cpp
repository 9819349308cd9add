// A drive that takes requests, loses its power and comes back in the same process.

#include <gtest/gtest.h>
#include <vector>

#include "drive/core_builder.h"
#include "drive/live_drive.h"
#include "drive/power_loss.h"
#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

class LivePowerTest : public SystemcTest {
  protected:
    void build(const std::vector<std::string>& more = {}) {
        std::vector<std::string> all{"dram.model=ideal", "alloc.scheme=cwdp", "ftl.scheme=page",
                                     "data.store=fingerprint", "power_loss.on_signal=true"};
        all.insert(all.end(), more.begin(), more.end());
        const SsdConfig config = small_drive(all);
        answers_ = std::make_unique<AnswerLog>(oracle_, config.buffer.policy != nullptr, nullptr);
        SsdProbes probes;
        probes.requests = answers_.get();
        probes.oracle = &oracle_;
        drive_ = std::make_unique<LiveDrive>(config, build_core(config, nullptr), probes);
    }
    void submit(LiveOp op, std::uint64_t page, std::uint64_t pages) {
        drive_->submit({op, false, false, page * kPageBytes, pages * kPageBytes, 7});
    }
    /// Until nothing is outstanding; returns how many completed.
    std::size_t drain() {
        std::size_t completed = 0;
        while (drive_->outstanding() != 0) {
            drive_->step_to_completion(kNever);
            for (LiveCompletion done; drive_->poll(done);) {
                EXPECT_EQ(done.status, LiveStatus::kDone);
                ++completed;
            }
        }
        return completed;
    }
    void expect_sound() {
        EXPECT_EQ(oracle_.first_fault(), "");
        EXPECT_TRUE(drive_->finish());
        EXPECT_GT(drive_->ssd().check_end_of_run(), 0u);
    }

    VersionOracle oracle_;
    std::unique_ptr<AnswerLog> answers_;
    std::unique_ptr<LiveDrive> drive_;
    RecoveryCounters counters_;
};

/// Four pages are written over after a flush, which is in the buffer alone.
TEST_F(LivePowerTest, WhatWasFlushedComesBackAfterTheTimeOfTheMount) {
    build();
    submit(LiveOp::kWrite, 0, 8);
    EXPECT_EQ(drain(), 1u);
    submit(LiveOp::kFlush, 0, 0);
    EXPECT_EQ(drain(), 1u);
    submit(LiveOp::kWrite, 0, 4);
    EXPECT_EQ(drain(), 1u);
    submit(LiveOp::kRead, 0, 8); // is never answered
    const TimePs at = drive_->now();
    drive_->lose_power(counters_);
    EXPECT_EQ(drive_->outstanding(), 0u);
    EXPECT_EQ(counters_.cuts, 1u);
    EXPECT_EQ(counters_.acknowledged, 8u);
    EXPECT_EQ(counters_.recovered, 4u);
    EXPECT_EQ(counters_.lost_unflushed, 4u);
    EXPECT_EQ(counters_.lost_flushed + counters_.corrupt + counters_.wrong_data, 0u);
    EXPECT_EQ(drive_->now(), at + counters_.time);
    EXPECT_GT(counters_.time, 0u);
    // Every sector is compared with what came back.
    submit(LiveOp::kRead, 0, 8);
    EXPECT_EQ(drain(), 1u);
    EXPECT_EQ(drive_->ssd().data()->statistics().sectors_compared, 8 * kPageBytes / 512);
    EXPECT_EQ(drive_->ssd().data()->statistics().zero_sectors, 0u);
    expect_sound();
}

TEST_F(LivePowerTest, StoredEnergyKeepsWhatWasAnswered) {
    build({"power_loss.recovery=plp", "power_loss.energy=1000uJ"});
    submit(LiveOp::kWrite, 0, 8);
    EXPECT_EQ(drain(), 1u);
    const TimePs at = drive_->now();
    drive_->lose_power(counters_);
    EXPECT_EQ(counters_.drained_pages, 8u);
    EXPECT_EQ(counters_.recovered, 8u);
    EXPECT_EQ(drive_->now(), at + counters_.drain_time + counters_.time);
    submit(LiveOp::kRead, 0, 8);
    EXPECT_EQ(drain(), 1u);
    expect_sound();
}

/// Again and again, under load; with the reads between, which are compared.
TEST_F(LivePowerTest, TheDriveThatCameBackCanLoseItsPowerToo) {
    build({"precondition.fill=0.9"});
    Random random(3);
    const std::uint64_t pages = drive_->capacity() / kPageBytes;
    for (int cut = 0; cut < 20; ++cut) {
        for (int i = 0; i < 60; ++i) {
            const LiveOp op = random.below(3) == 0   ? LiveOp::kRead
                              : random.below(8) == 0 ? LiveOp::kTrim
                                                     : LiveOp::kWrite;
            submit(op, random.below(pages), 1);
            if (random.below(10) == 0) {
                submit(LiveOp::kFlush, 0, 0);
            }
            drive_->step_to(drive_->now() + random.below(200 * kUs));
            for (LiveCompletion done; drive_->poll(done);) {
            }
        }
        const TimePs at = drive_->now();
        drive_->lose_power(counters_);
        EXPECT_GT(drive_->now(), at);
    }
    EXPECT_EQ(counters_.cuts, 20u);
    EXPECT_GT(counters_.torn_pages, 0u);
    EXPECT_GT(counters_.lost_unflushed, 0u);
    EXPECT_GT(counters_.flushed, 20u);
    submit(LiveOp::kRead, 0, pages);
    EXPECT_EQ(drain(), 1u);
    expect_sound();
}

TEST_F(LivePowerTest, TimeIsHeldWhereThePowerIsToGo) {
    build();
    submit(LiveOp::kWrite, 0, 8);
    submit(LiveOp::kFlush, 0, 0);
    drive_->hold_at(100 * kUs);
    for (int i = 0; i < 10; ++i) {
        drive_->step_to_completion(kNever);
    }
    EXPECT_EQ(drive_->now(), 100 * kUs);
    EXPECT_NE(drive_->outstanding(), 0u);
    drive_->step_to(kSecond);
    EXPECT_EQ(drive_->now(), 100 * kUs);
    drive_->hold_at(kNever);
    EXPECT_NE(drain(), 0u);
    EXPECT_GT(drive_->now(), 100 * kUs);
    expect_sound();
}

} // namespace
} // namespace cavern::testing
