// What the SDRAM scheduler does first, what it counts, and that being lazy changes nothing.

#include <gtest/gtest.h>

#include <map>

#include "bench/dram_reference_streams.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/timed/dram/sdram_command_checker.h"

namespace cavern {
namespace {

class SdramSchedulingTest : public ::testing::Test {
  protected:
    std::uint64_t address(std::uint32_t bank, std::uint64_t row, std::uint32_t burst = 0) const {
        return (row * timing_.banks + bank) * timing_.row_bytes + burst * timing_.burst_bytes();
    }

    void start(std::uint32_t bank_queue_depth = 0) {
        scheduler_.emplace(timing_, bank_queue_depth);
        scheduler_->set_observer(&recorder_);
    }

    void read(std::uint64_t id, std::uint64_t at_address, DramClock now, std::uint32_t bytes = 32) {
        scheduler_->push(id, at_address, bytes, false, now);
    }

    /// Wakes when asked to until everything is answered.
    void finish() {
        while (scheduler_->outstanding() != 0) {
            const DramClock now = scheduler_->next_wake();
            ++wakes_;
            scheduler_->advance(now);
            while (scheduler_->has_completion(now)) {
                const SdramCompletion done = scheduler_->pop_completion();
                order_.push_back(done.id);
                end_[done.id] = done.end;
            }
        }
    }

    SdramTiming timing_;
    SdramRecorder recorder_{timing_};
    std::optional<FrFcfsScheduler> scheduler_;
    std::vector<std::uint64_t> order_;
    std::map<std::uint64_t, DramClock> end_;
    std::uint64_t wakes_ = 0;
};

using Ids = std::vector<std::uint64_t>;

TEST_F(SdramSchedulingTest, UnloadedReadsTakeTheSumOfTheirParameters) {
    start();
    read(1, address(0, 0), 100);
    finish();
    read(2, address(0, 0, 5), 200);
    finish();
    read(3, address(0, 7), 300);
    finish();
    EXPECT_EQ(end_[1], 100u + 11 + 11 + 4);
    EXPECT_EQ(end_[2], 200u + 11 + 4);
    EXPECT_EQ(end_[3], 300u + 11 + 11 + 11 + 4);
    const SdramStatistics& s = scheduler_->statistics();
    EXPECT_EQ(s.row_misses, 1u);
    EXPECT_EQ(s.row_hits, 1u);
    EXPECT_EQ(s.row_conflicts, 1u);
    EXPECT_EQ(s.activates, 2u);
    EXPECT_EQ(wakes_, 3u);
}

TEST_F(SdramSchedulingTest, ARowHitOvertakesAnOlderConflict) {
    start();
    read(1, address(0, 0), 0);
    read(2, address(0, 1), 0);
    read(3, address(0, 0, 1), 0);
    finish();
    EXPECT_EQ(order_, (Ids{1, 3, 2}));
}

TEST_F(SdramSchedulingTest, OfTwoReadyTheOlderGoesFirst) {
    start();
    read(1, address(3, 0), 0);
    read(2, address(1, 0), 0);
    finish();
    // Both rows are open now; hits of both banks arrive at once, the one of bank 3 first.
    read(3, address(3, 0, 1), 1000);
    read(4, address(1, 0, 1), 1000);
    finish();
    EXPECT_EQ(order_, (Ids{1, 2, 3, 4}));
}

TEST_F(SdramSchedulingTest, TheNextRowIsOpenedInTheShadowOfARunningTrain) {
    start();
    read(1, address(0, 0), 0, 4096);
    read(2, address(1, 0), 0, 4096);
    finish();
    const DramClock first_end = 11 + 127 * 4 + 11 + 4;
    EXPECT_EQ(end_[1], first_end);
    EXPECT_EQ(end_[2], first_end + 128 * 4); // no hole between the two
    EXPECT_EQ(recorder_.clocks_of(SdramCommand::kActivate, 1), std::vector<DramClock>{5});
    // 2 ACT and 2 trains: nothing was decided burst by burst.
    EXPECT_EQ(recorder_.calls, 4u);
    EXPECT_EQ(wakes_, 2u);
}

TEST_F(SdramSchedulingTest, ATransactionOverSeveralRowsEndsWithItsLastBurst) {
    start();
    read(1, address(0, 0) + 4096 - 64, 0, 16384);
    finish();
    EXPECT_EQ(order_, Ids{1});
    EXPECT_EQ(recorder_.clocks_of(SdramCommand::kActivate).size(), 5u);
    const auto reads = recorder_.clocks_of(SdramCommand::kRead);
    EXPECT_EQ(reads.size(), 512u);
    EXPECT_EQ(end_[1], reads.back() + 11 + 4);
    EXPECT_EQ(scheduler_->statistics().read_bursts, 512u);
    EXPECT_EQ(scheduler_->statistics().reads, 1u);
    EXPECT_EQ(scheduler_->statistics().bytes, 16384u);
    EXPECT_EQ(scheduler_->statistics().row_hits, 512u - 5);
    EXPECT_EQ(scheduler_->statistics().busy_clocks, 512u * 4);
}

TEST_F(SdramSchedulingTest, AByteRangeMovesEveryBurstItTouches) {
    start();
    read(1, 31, 0, 2);
    finish();
    EXPECT_EQ(scheduler_->statistics().read_bursts, 2u);
    EXPECT_THROW(read(2, 0, 5000, 0), ModelError);
}

TEST_F(SdramSchedulingTest, OnlyTheWindowIsReordered) {
    timing_.queue_depth = 2;
    start();
    read(1, address(0, 0), 0);
    read(2, address(0, 1), 0);
    read(3, address(0, 2), 0);
    read(4, address(0, 0, 1), 0); // a hit of the first row, but outside the window of two
    EXPECT_EQ(scheduler_->outstanding(), 4u);
    finish();
    EXPECT_EQ(order_, (Ids{1, 2, 3, 4}));
}

TEST_F(SdramSchedulingTest, AFullBankQueueHoldsBackAllThatComeLater) {
    start(1);
    read(1, address(0, 0), 0);
    read(2, address(0, 1), 0);
    read(3, address(1, 0), 0); // its bank is free, but it is behind number 2
    finish();
    EXPECT_EQ(order_, (Ids{1, 3, 2}));
    // Bank 1 is free from clock 0, but number 2 leaves the way only when RD of number 1 has left.
    EXPECT_EQ(recorder_.clocks_of(SdramCommand::kActivate, 1).at(0), 12u);
}

TEST_F(SdramSchedulingTest, AStreamOfRowHitsCannotStarveAConflict) {
    start();
    read(0, address(0, 0), 0);
    read(1, address(0, 1), 0);
    DramClock now = 0;
    std::uint64_t id = 2;
    // As many as keep a hit of row 0 queued all the time.
    for (std::uint32_t i = 0; i < 8; ++i) {
        read(id++, address(0, 0), now);
    }
    while (end_.count(1) == 0 && id < 2000) {
        now = scheduler_->next_wake();
        scheduler_->advance(now);
        while (scheduler_->has_completion(now)) {
            const SdramCompletion done = scheduler_->pop_completion();
            end_[done.id] = done.end;
            read(id++, address(0, 0), now);
        }
    }
    ASSERT_EQ(end_.count(1), 1u);
    // Overtaken, but by no more than four windows and what was already under way.
    EXPECT_GT(id, 64u);
    EXPECT_LT(id, 4 * timing_.queue_depth + 24);
}

TEST_F(SdramSchedulingTest, AStreamOfReadsCannotStarveAWrite) {
    start();
    read(0, address(0, 0), 0);
    scheduler_->push(1, address(1, 0), 32, true, 0);
    std::uint64_t id = 2;
    for (std::uint32_t i = 0; i < 8; ++i) {
        read(id++, address(0, 0), 0);
    }
    while (end_.count(1) == 0 && id < 2000) {
        const DramClock now = scheduler_->next_wake();
        scheduler_->advance(now);
        while (scheduler_->has_completion(now)) {
            const SdramCompletion done = scheduler_->pop_completion();
            end_[done.id] = done.end;
            read(id++, address(0, 0), now);
        }
    }
    ASSERT_EQ(end_.count(1), 1u);
    EXPECT_GT(id, 64u); // reads did go first: the bus turns round for good reason only
    EXPECT_LT(id, 4 * timing_.queue_depth + 24);
}

TEST_F(SdramSchedulingTest, AfterALongIdleGapAllBanksAreClosedAndRefreshesCounted) {
    start();
    read(1, address(0, 0), 0);
    finish();
    const DramClock later = 1000 * DramClock{timing_.t_refi} + 3000;
    read(2, address(0, 0), later);
    finish();
    EXPECT_EQ(end_[2], later + 11 + 11 + 4);
    EXPECT_EQ(scheduler_->refreshes(later), 1000u);
    EXPECT_EQ(recorder_.clocks_of(SdramCommand::kRefresh).size(), 1000u);
    EXPECT_EQ(check_sdram_trace(recorder_.sorted(), timing_), std::vector<std::string>{});
    EXPECT_EQ(scheduler_->statistics().row_misses, 2u);
}

TEST_F(SdramSchedulingTest, ARowIsOpenFromItsActivateToThePrechargeOrRefresh) {
    start();
    read(1, address(0, 0), 100); // ACT at 100
    read(2, address(1, 0), 100); // and at 105: one rank, counted once
    finish();
    EXPECT_EQ(scheduler_->open_clocks(100), 0u);
    EXPECT_EQ(scheduler_->open_clocks(1100), 1000u);
    const DramClock due = timing_.t_refi;
    EXPECT_EQ(scheduler_->open_clocks(due + 500), due - 100); // not worked out, but known
    scheduler_->advance(due + 500);
    EXPECT_EQ(scheduler_->open_clocks(due + 500), due - 100);
    EXPECT_EQ(scheduler_->statistics().open_clocks, due - 100);
    read(3, address(0, 0), due + 1000);
    finish();
    scheduler_->reset_statistics(due + 1200);
    EXPECT_EQ(scheduler_->open_clocks(due + 1300), 100u);
}

TEST_F(SdramSchedulingTest, EachRankIsCountedForItself) {
    timing_.ranks = 2;
    start();
    read(1, address(0, 0), 100);
    read(2, address(8, 0), 100); // the other rank, a clock later
    finish();
    EXPECT_EQ(scheduler_->open_clocks(1100), 1000u + 999u);
    const DramClock due = timing_.t_refi;
    EXPECT_EQ(scheduler_->open_clocks(2 * due), due - 100 + due + due / 2 - 101);
    EXPECT_EQ(scheduler_->refreshes(due - 1), 0u);
    EXPECT_EQ(scheduler_->refreshes(due), 1u);
    EXPECT_EQ(scheduler_->refreshes(due + due / 2), 2u);
    EXPECT_EQ(scheduler_->refreshes(100 * due), 100u + 99u);
}

TEST_F(SdramSchedulingTest, AnArrivalDuringARefreshWaitsForItsEnd) {
    for (const DramClock after : {DramClock{0}, DramClock{1}, DramClock{100}, DramClock{207}}) {
        start();
        const DramClock due = 50 * DramClock{timing_.t_refi};
        read(after, address(0, 0), due + after);
        finish();
        EXPECT_EQ(end_[after], due + 208 + 11 + 11 + 4);
    }
    start();
    const DramClock due = 50 * DramClock{timing_.t_refi};
    read(999, address(0, 0), due + 209);
    finish();
    EXPECT_EQ(end_[999], due + 209 + 11 + 11 + 4);
}

struct Outcome {
    std::vector<std::pair<std::uint64_t, DramClock>> completions;
    SdramStatistics statistics;
};

enum class Waking { kAsAsked, kEveryClock, kAtRandom };

Outcome closed_loop(const SdramTiming& timing, Waking waking, SdramObserverIf* observer) {
    Random random(11);
    Random wake_random(12);
    FrFcfsScheduler scheduler(timing);
    scheduler.set_observer(observer);
    Outcome outcome;
    DramClock now = 0;
    std::uint64_t sent = 0;
    const auto send = [&] {
        const std::uint64_t sizes[] = {32, 64, 4096, 5000, 16384};
        scheduler.push(sent, random.below(1 << 20), sizes[random.below(5)], random.below(2) != 0,
                       now);
        ++sent;
    };
    for (int i = 0; i < 12; ++i) {
        send();
    }
    while (scheduler.outstanding() != 0) {
        const DramClock asked = scheduler.next_wake();
        switch (waking) {
        case Waking::kAsAsked:
            now = asked;
            break;
        case Waking::kEveryClock:
            ++now;
            break;
        case Waking::kAtRandom:
            now = std::min(asked, now + 1 + wake_random.below(50));
            break;
        }
        scheduler.advance(now);
        while (scheduler.has_completion(now)) {
            const SdramCompletion done = scheduler.pop_completion();
            outcome.completions.emplace_back(done.id, done.end);
            if (sent < 1500) {
                send();
            }
        }
        if (sent < 1500 && sent % 100 == 0 && scheduler.outstanding() == 0) {
            now += 30'000;
            send();
        }
    }
    outcome.statistics = scheduler.statistics();
    return outcome;
}

SdramTiming two_ranks_of_ddr4() {
    SdramTiming timing = ddr4_3200();
    timing.ranks = 2;
    return timing;
}

class SdramLazinessTest : public ::testing::TestWithParam<SdramTiming> {};

INSTANTIATE_TEST_SUITE_P(Parts, SdramLazinessTest,
                         ::testing::Values(SdramTiming{}, two_ranks_of_ddr4()),
                         [](const auto& each) { return each.index == 0 ? "Ddr3" : "Ddr4"; });

TEST_P(SdramLazinessTest, HowOftenTheSchedulerIsWokenChangesNothing) {
    const SdramTiming timing = GetParam();
    SdramRecorder asked(timing);
    SdramRecorder every(timing);
    SdramRecorder random(timing);
    const Outcome a = closed_loop(timing, Waking::kAsAsked, &asked);
    const Outcome b = closed_loop(timing, Waking::kEveryClock, &every);
    const Outcome c = closed_loop(timing, Waking::kAtRandom, &random);
    ASSERT_EQ(a.completions.size(), 1500u);
    EXPECT_EQ(a.completions, b.completions);
    EXPECT_EQ(a.completions, c.completions);
    const auto same = [](const SdramRecorder& x, const SdramRecorder& y) {
        return x.commands.size() == y.commands.size() &&
               std::equal(x.commands.begin(), x.commands.end(), y.commands.begin(),
                          [](const SdramCommandRecord& p, const SdramCommandRecord& q) {
                              return p.at == q.at && p.command == q.command && p.bank == q.bank &&
                                     p.row == q.row;
                          });
    };
    EXPECT_TRUE(same(asked, every));
    EXPECT_TRUE(same(asked, random));
    EXPECT_EQ(check_sdram_trace(asked.sorted(), timing), std::vector<std::string>{});
}

TEST_P(SdramLazinessTest, SkippingIdleRefreshesChangesNothing) {
    const SdramTiming timing = GetParam();
    SdramRecorder recorder(timing); // with an observer they are worked out one by one
    const auto run = [&](SdramObserverIf* observer) {
        Random random(3);
        FrFcfsScheduler scheduler(timing);
        scheduler.set_observer(observer);
        std::vector<DramClock> ends;
        DramClock now = 0;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            now += random.below(100'000);
            scheduler.push(i, random.below(1 << 20), 4096, random.below(2) != 0, now);
            while (scheduler.outstanding() != 0) {
                now = scheduler.next_wake();
                scheduler.advance(now);
                while (scheduler.has_completion(now)) {
                    ends.push_back(scheduler.pop_completion().end);
                }
            }
        }
        return ends;
    };
    EXPECT_EQ(run(nullptr), run(&recorder));
    EXPECT_GT(recorder.clocks_of(SdramCommand::kRefresh).size(), 10'000u);
}

TEST(SdramWakeTest, AboutOneWakeATransactionIsEnough) {
    const SdramTiming timing;
    Random random(1);
    FrFcfsScheduler scheduler(timing);
    DramClock now = 0;
    std::uint64_t sent = 0;
    std::uint64_t done = 0;
    std::uint64_t wakes = 0;
    const auto send = [&] {
        scheduler.push(sent++, random.below(16384) * 4096, 4096, random.below(2) != 0, now);
    };
    for (int i = 0; i < 8; ++i) {
        send();
    }
    while (done < 20'000) {
        now = scheduler.next_wake();
        ++wakes;
        scheduler.advance(now);
        while (scheduler.has_completion(now)) {
            (void)scheduler.pop_completion();
            ++done;
            send();
        }
    }
    EXPECT_LT(static_cast<double>(wakes) / static_cast<double>(done), 1.2);
}

TEST(SdramTimingTest, EachImpossibleParameterIsNamed) {
    EXPECT_FALSE(find_problem(SdramTiming{}).has_value());
    const auto key_of = [](auto change) {
        SdramTiming timing;
        change(timing);
        const auto problem = find_problem(timing);
        return problem ? problem->keys.front() : std::string("none");
    };
    EXPECT_EQ(key_of([](SdramTiming& t) { t.banks = 6; }), "banks");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.banks = 64; }), "banks");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.row_bytes = 3000; }), "row_bytes");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.row_bytes = 16; }), "row_bytes");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_rc = 38; }), "t_rc");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_ras = 10; }), "t_ras");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_faw = 4; }), "t_faw");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.cwl = 17; }), "cwl");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_refi = 250; }), "t_refi");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.queue_depth = 0; }), "queue_depth");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.bank_groups = 3; }), "bank_groups");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.bank_groups = 16; }), "bank_groups");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_ccd_l = 8; }), "t_ccd_l"); // of one group
    EXPECT_EQ(key_of([](SdramTiming& t) { t.bank_groups = 4, t.t_ccd_l = 9; }), "t_ccd_l");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.bank_groups = 4, t.t_rrd_l = 4; }), "t_rrd_l");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.bank_groups = 4, t.t_wtr_l = 5; }), "t_wtr_l");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_rp_ab = 10; }), "t_rp_ab");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.ranks = 3; }), "ranks");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.ranks = 8; }), "ranks");
    EXPECT_EQ(key_of([](SdramTiming& t) { t.t_rtrs = 0; }), "t_rtrs");
    SdramTiming broken;
    broken.t_rc = 1;
    EXPECT_THROW(FrFcfsScheduler{broken}, ModelError);
}

} // namespace
} // namespace cavern
