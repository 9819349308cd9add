// Status polls and resets: exact times by hand, alone and with two dies on the bus.

#include "timed/channel/channel.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycle = 25 * kNs;
constexpr TimePs kByte = 5 * kNs;
constexpr TimePs kCommand = 7 * kCycle;
constexpr TimePs kPage = 2112 * kByte;
constexpr TimePs kTwb = 100 * kNs;
constexpr TimePs kTwhr = 80 * kNs;
constexpr TimePs kTr = 40 * kUs;
constexpr TimePs kTprog = 400 * kUs;
constexpr TimePs kTbers = 3500 * kUs;
constexpr TimePs kTrst = 5 * kUs;
constexpr TimePs kPoll = 4 * kCycle + kTwhr + kByte;
constexpr TimePs kOut = kCycle + kPage; // 00h before the data

using Finished = std::vector<FlashBench::Finished>;

/// The polls of an operation that has the bus for itself.
struct Polls {
    std::uint64_t count;
    TimePs end; ///< of the last, since the command
};

/// The array ends `busy` after the command; the byte of the last poll begins no earlier. The first
/// poll begins after `first`, each after so long as it takes with what follows.
Polls polls_of(TimePs busy, TimePs first, TimePs period) {
    const TimePs byte_begins = first + kPoll - kByte;
    const std::uint64_t more = busy <= byte_begins ? 0 : (busy - byte_begins + period - 1) / period;
    return {more + 1, first + more * period + kPoll};
}

class ChannelStatusTest : public SystemcTest {
  protected:
    ChannelStatusTest() {
        timing_.t_r = {kTr};
        timing_.t_prog = {kTprog};
        timing_.t_bers = kTbers;
        timing_.bus_byte_fs = 5'000'000;
        timing_.command_cycle = kCycle;
        timing_.t_wb = kTwb;
        timing_.t_whr = kTwhr;
        timing_.polls = {true, 4, 0, kUs};
        geometry_.channels = 1;
        geometry_.ways = 2;
        geometry_.planes_per_die = 2;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        geometry_.page_bytes = 2048;
        geometry_.spare_bytes = 64;
    }
    void build() {
        bench_ = std::make_unique<FlashBench>("bench", geometry_, timing_);
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            for (std::uint32_t plane = 0; plane < 2; ++plane) {
                bench_->array.program(page(slot, 0, plane), kNoLpn);
            }
        }
    }
    [[nodiscard]] Ppn page(std::uint32_t slot, std::uint32_t block, std::uint32_t plane = 0) const {
        return bench_->page(slot, block, 0, plane);
    }
    [[nodiscard]] std::uint64_t polls(std::uint32_t slot) const {
        return bench_->dies[slot]->statistics().polls;
    }
    [[nodiscard]] std::int64_t phases(const std::string& what) const {
        const auto& all = bench_->activity.bus_phases;
        return std::count_if(all.begin(), all.end(),
                             [&](const Interval& each) { return each.what == what; });
    }

    NandTiming timing_;
    Geometry geometry_;
    std::unique_ptr<FlashBench> bench_;
    Script script_{"script"};
};

TEST_F(ChannelStatusTest, AReadMovesOutAfterThePollThatFindsTheArrayReady) {
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    const Polls read = polls_of(kTwb + kTr, kTwb, kPoll + kUs);
    EXPECT_EQ(read.count, 35u); // 40 us, a poll each 1.185 us
    EXPECT_EQ(bench_->finished, (Finished{{0, kCommand + read.end + kOut}}));
    EXPECT_EQ(polls(0), read.count);
    EXPECT_EQ(phases("status"), 35);
    EXPECT_EQ(bench_->activity.bus_phases[1],
              (Interval{0, "status", kCommand + kTwb, kCommand + kTwb + kPoll}));
    EXPECT_EQ(bench_->channel.statistics().grants, 2 + read.count);
    EXPECT_EQ(bench_->channel.statistics().busy, kCommand + read.count * kPoll + kOut);
    EXPECT_EQ(bench_->channel.statistics().bytes, 2112u);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTwb + kTr);
}

TEST_F(ChannelStatusTest, AProgramAndAnEraseEndWithThePollThatFindsThemDone) {
    build();
    script_.at(0, [this] { bench_->start_program(0, page(0, 1)); });
    script_.at(kMs, [this] { bench_->start_erase(1, 0); });
    run();
    const Polls program = polls_of(kTwb + kTprog, kTwb, kPoll + kUs);
    const Polls erase = polls_of(kTwb + kTbers, kTwb, kPoll + kUs);
    EXPECT_EQ(bench_->finished,
              (Finished{{0, kCommand + kPage + program.end}, {1, kMs + 5 * kCycle + erase.end}}));
    EXPECT_EQ(polls(0), program.count);
    EXPECT_EQ(polls(1), erase.count);
}

TEST_F(ChannelStatusTest, AFirstPollThatIsLateEnoughIsTheOnlyOne) {
    timing_.polls.after = 41 * kUs;
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kCommand + 41 * kUs + kPoll + kOut}}));
    EXPECT_EQ(polls(0), 1u);
}

// The array ends as the status byte begins, and a picosecond later.
TEST_F(ChannelStatusTest, TheStatusByteTellsWhatWasTrueWhenItBegan) {
    timing_.polls.after = kTwb + kTr - (kPoll - kByte);
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kCommand + kTwb + kTr + kByte + kOut}}));
    EXPECT_EQ(polls(0), 1u);
}

TEST_F(ChannelStatusTest, APicosecondTooEarlyIsAnIntervalLater) {
    timing_.polls.after = kTwb + kTr - (kPoll - kByte) - 1;
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    const TimePs first = kCommand + kTwb + kTr + kByte - 1;
    EXPECT_EQ(bench_->finished, (Finished{{0, first + kUs + kPoll + kOut}}));
    EXPECT_EQ(polls(0), 2u);
}

// tRHW follows the data, and what was held before the statistics began anew is past.
TEST_F(ChannelStatusTest, TimeThatTheBusIsHeldCountsUpToNow) {
    timing_.polls.on = false;
    timing_.t_rhw = kMs;
    build();
    const auto busy = [this] { return bench_->channel.statistics().busy; };
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    script_.at(kCommand / 2, [&] {
        EXPECT_EQ(busy(), kCommand / 2);
        bench_->channel.reset_statistics();
        EXPECT_EQ(busy(), 0u);
    });
    script_.at(kCommand, [&] { EXPECT_EQ(busy(), kCommand - kCommand / 2); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kCommand + kTwb + kTr + kPage}}));
    EXPECT_EQ(busy(), kCommand - kCommand / 2 + kPage);
}

TEST_F(ChannelStatusTest, TheTurnRoundOfTheBusFollowsTheStatusByte) {
    timing_.t_rhw = 110 * kNs;
    timing_.polls = {true, 1, 0, 0};
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    constexpr TimePs kShort = kCycle + kTwhr + kByte; // 70h
    const TimePs needed = kTwb + kTr - kTwb - (kShort - kByte);
    const std::uint64_t more = (needed + kShort + 110 * kNs - 1) / (kShort + 110 * kNs);
    const TimePs end = kCommand + kTwb + more * (kShort + 110 * kNs) + kShort;
    EXPECT_EQ(bench_->finished, (Finished{{0, end + 110 * kNs + kOut}}));
    EXPECT_EQ(polls(0), more + 1);
}

TEST_F(ChannelStatusTest, AReadOfPlanesIsPolledOnceForAll) {
    timing_.polls.after = 50 * kUs;
    build();
    script_.at(0, [this] { bench_->start(0, FlashOpKind::kRead, {page(0, 0), page(0, 0, 1)}); });
    run();
    const TimePs latched = timing_.multi_plane_time(2, 7);
    // CHANGE READ COLUMN ENHANCED, which ends the output of the status as well.
    EXPECT_EQ(bench_->finished,
              (Finished{{0, latched + 50 * kUs + kPoll + 2 * (7 * kCycle + kPage)}}));
    EXPECT_EQ(polls(0), 1u);
}

// Both polls are due while the other die has the bus.
TEST_F(ChannelStatusTest, PollsOfTwoDiesWaitForTheBusAsCommandsDo) {
    timing_.polls.after = 41 * kUs;
    build();
    script_.at(0, [this] {
        bench_->start_read(0, page(0, 0));
        bench_->start_read(1, page(1, 0));
    });
    run();
    // The second is due a command after the first, which is still on the bus; then the data of the
    // first wait for the second poll.
    static_assert(kCommand < kPoll);
    const TimePs second_poll = kCommand + 41 * kUs + 2 * kPoll;
    EXPECT_EQ(bench_->finished, (Finished{{0, second_poll + kOut}, {1, second_poll + 2 * kOut}}));
    EXPECT_EQ(polls(0) + polls(1), 2u);
}

TEST_F(ChannelStatusTest, APollIsAskedForAgainWhenItsTurnOnTheBusIsOver) {
    timing_.polls.after = 10 * kUs;
    timing_.polls.interval = 30 * kUs;
    build();
    script_.at(0, [this] { bench_->start_program(0, page(0, 1)); });
    // Its data are on the bus when the first poll of the other die is due.
    script_.at(kCommand + kPage, [this] { bench_->start_program(1, page(1, 1)); });
    run();
    const TimePs latched = kCommand + kPage;
    const auto ends = [](TimePs first) {
        const Polls after = polls_of(kTwb + kTprog, first, kPoll + 30 * kUs);
        return after.end;
    };
    const TimePs delayed = kCommand + kPage; // in place of 10 us
    static_assert(kCommand + kPage > 10 * kUs);
    EXPECT_EQ(bench_->finished,
              (Finished{{0, latched + ends(delayed)}, {1, 2 * latched + ends(10 * kUs)}}));
}

TEST_F(ChannelStatusTest, WhereThePinTellsNobodyPolls) {
    timing_.polls.on = false;
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kCommand + kTwb + kTr + kPage}}));
    EXPECT_EQ(polls(0), 0u);
    EXPECT_EQ(phases("status"), 0);
}

TEST_F(ChannelStatusTest, NothingIsPolledWhenNothingRuns) {
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    const TimePs end = bench_->finished.back().at;
    EXPECT_EQ(now_ps(), end);
    EXPECT_TRUE(bench_->clock.idle());
}

class ChannelResetTest : public ChannelStatusTest {
  protected:
    ChannelResetTest() {
        timing_.polls.on = false;
        timing_.reset = {true, kTrst};
    }
};

TEST_F(ChannelResetTest, TheFirstOperationWaitsForTheReset) {
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    // The other die gets FFh meanwhile.
    EXPECT_EQ(bench_->finished,
              (Finished{{0, kCycle + kTwb + kTrst + kCommand + kTwb + kTr + kPage}}));
    EXPECT_EQ(bench_->activity.bus_phases[0], (Interval{0, "reset", 0, kCycle}));
    EXPECT_EQ(bench_->activity.bus_phases[1], (Interval{1, "reset", kCycle, 2 * kCycle}));
    EXPECT_EQ(bench_->activity.operations[0], (Interval{0, "", kCycle, kCycle + kTwb + kTrst}));
    for (const auto& die : bench_->dies) {
        EXPECT_EQ(die->statistics().resets, 1u);
    }
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTwb + kTr);
    EXPECT_EQ(bench_->channel.statistics().grants, 4u);
}

TEST_F(ChannelResetTest, AnOperationAfterTheResetsDoesNotWait) {
    build();
    script_.at(10 * kUs, [this] { bench_->start_erase(1, 0); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{1, 10 * kUs + 5 * kCycle + kTwb + kTbers}}));
    EXPECT_EQ(bench_->dies[1]->statistics().resets, 1u);
}

TEST_F(ChannelResetTest, FirstOperationsOfTwoDiesBeginAFfhApart) {
    build();
    script_.at(0, [this] {
        bench_->start_program(0, page(0, 1));
        bench_->start_erase(1, 0);
    });
    run();
    const TimePs latched = kCycle + kTwb + kTrst + kCommand + kPage;
    static_assert(kCommand + kPage > kCycle);
    EXPECT_EQ(bench_->finished,
              (Finished{{0, latched + kTwb + kTprog}, {1, latched + 5 * kCycle + kTwb + kTbers}}));
}

TEST_F(ChannelResetTest, APolledResetEndsWithItsPoll) {
    timing_.polls = {true, 4, 0, kUs};
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    run();
    const Polls reset = polls_of(kTwb + kTrst, kTwb, kPoll + kUs);
    // The first poll of the other die is due a cycle later and waits; the others do not meet.
    const Polls other = polls_of(kTwb + kTrst, kTwb + kPoll - kCycle, kPoll + kUs);
    EXPECT_EQ(reset.count, 6u);
    EXPECT_EQ(bench_->activity.bus_phases[2],
              (Interval{0, "status", kCycle + kTwb, kCycle + kTwb + kPoll}));
    EXPECT_EQ(bench_->activity.bus_phases[3],
              (Interval{1, "status", kCycle + kTwb + kPoll, kCycle + kTwb + 2 * kPoll}));
    const auto begins =
        std::find_if(bench_->activity.bus_phases.begin(), bench_->activity.bus_phases.end(),
                     [](const Interval& each) { return each.what == "command"; });
    EXPECT_EQ(begins->begin, kCycle + reset.end);
    EXPECT_EQ(bench_->dies[0]->statistics().resets, 1u);
    EXPECT_EQ(polls(1), other.count);
    EXPECT_EQ(other.count, 5u);
}

} // namespace
} // namespace cavern::testing
