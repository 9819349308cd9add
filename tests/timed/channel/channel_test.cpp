// Exact times of flash operations on one channel, by hand from the data-sheet symbols, and the
// exclusion of the bus. The arbiter is the one at transaction level: it grants without delay.

#include "timed/channel/channel.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

Geometry shape(std::uint32_t ways, std::uint32_t planes = 1) {
    Geometry geometry;
    geometry.channels = 1;
    geometry.ways = ways;
    geometry.planes_per_die = planes;
    geometry.blocks_per_plane = 8;
    geometry.pages_per_block = 12;
    geometry.page_bytes = 2048;
    geometry.spare_bytes = 64;
    return geometry;
}

// 30 ns a byte and a cycle: the part of CAVE, Table 2.
constexpr TimePs kPage = 2112 * 30 * kNs;
constexpr TimePs kReadCommand = 7 * 30 * kNs;
constexpr TimePs kProgramCommand = 7 * 30 * kNs;
constexpr TimePs kEraseCommand = 5 * 30 * kNs;
constexpr TimePs kTr = 25 * kUs;
constexpr TimePs kTprog = 200 * kUs;
constexpr TimePs kTbers = 1500 * kUs;

NandTiming slc() {
    NandTiming timing;
    timing.t_r = {kTr};
    timing.t_prog = {kTprog};
    timing.t_bers = kTbers;
    timing.bus_byte_fs = 30'000'000;
    timing.command_cycle = 30 * kNs;
    return timing;
}

NandTiming tlc() {
    NandTiming timing = slc();
    timing.t_r = {40 * kUs, 50 * kUs, 60 * kUs};
    timing.t_prog = {400 * kUs, 550 * kUs, 700 * kUs};
    return timing;
}

using Finished = std::vector<FlashBench::Finished>;
using Intervals = std::vector<Interval>;

class ChannelTest : public SystemcTest {
  protected:
    void build(const Geometry& geometry, const NandTiming& timing,
               ArbiterPolicy policy = ArbiterPolicy::kRoundRobin) {
        bench_ = std::make_unique<FlashBench>("bench", geometry, timing, policy);
    }
    std::unique_ptr<FlashBench> bench_;
    Script script_{"script"};
};

// ---- one operation alone ------------------------------------------------------------------------

TEST_F(ChannelTest, AReadIsCommandThenTrThenDataOut) {
    build(shape(1), slc());
    bench_->array.program(bench_->page(0, 0, 0), kNoLpn);
    script_.at(10 * kNs, [this] { bench_->start_read(0, bench_->page(0, 0, 0)); });
    run();
    const TimePs latched = 10 * kNs + kReadCommand;
    const TimePs ready = latched + kTr;
    EXPECT_EQ(bench_->activity.bus_phases, (Intervals{{0, "command", 10 * kNs, latched},
                                                      {0, "data out", ready, ready + kPage}}));
    EXPECT_EQ(bench_->activity.operations, (Intervals{{0, "", latched, ready}}));
    EXPECT_EQ(bench_->finished, (Finished{{0, ready + kPage}}));
    EXPECT_EQ(bench_->dies[0]->statistics().reads, 1u);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTr);
}

TEST_F(ChannelTest, ReadOutInPartTakesItsShareOfTheBusAndNothingElse) {
    build(shape(1), slc());
    bench_->array.program(bench_->page(0, 0, 0), kNoLpn);
    script_.at(0, [this] { bench_->start_read_of(0, bench_->page(0, 0, 0), 512, false); });
    run();
    const TimePs quarter = (512 + 16) * 30 * kNs;
    EXPECT_EQ(bench_->finished, (Finished{{0, kReadCommand + kTr + quarter}}));
}

TEST_F(ChannelTest, WhatThePageRegisterHoldsTakesAColumnChangeAndItsData) {
    build(shape(1), slc());
    bench_->array.program(bench_->page(0, 0, 0), kNoLpn);
    script_.at(0, [this] { bench_->start_read_of(0, bench_->page(0, 0, 0), 1024, true); });
    run();
    const TimePs half = (1024 + 32) * 30 * kNs;
    EXPECT_EQ(bench_->finished, (Finished{{0, 4 * 30 * kNs + half}}));
    EXPECT_TRUE(bench_->activity.operations.empty());
    EXPECT_EQ(bench_->dies[0]->statistics().reads, 0u);
    EXPECT_EQ(bench_->dies[0]->statistics().register_reads, 1u);
}

// The page type goes by the NAND page, and a program of all its mapping units is one.
TEST_F(ChannelTest, MappingUnitsOfANandPageAreOneProgram) {
    build(shape(1).in_units(512), tlc());
    for (std::uint32_t unit = 0; unit < 4; ++unit) {
        bench_->array.program(bench_->page(0, 0, unit), kNoLpn);
    }
    script_.at(0, [this] {
        bench_->start(0, FlashOpKind::kProgram,
                      {bench_->page(0, 0, 4), bench_->page(0, 0, 5), bench_->page(0, 0, 6),
                       bench_->page(0, 0, 7)});
    });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kProgramCommand + kPage + 550 * kUs}}));
    EXPECT_EQ(bench_->dies[0]->statistics().programs, 1u);
    EXPECT_TRUE(bench_->array.is_programmed(bench_->page(0, 0, 7)));
}

TEST_F(ChannelTest, AProgramIsCommandAndDataInThenTprog) {
    build(shape(1), slc());
    script_.at(0, [this] { bench_->start_program(0, bench_->page(0, 0, 0)); });
    run();
    const TimePs latched = kProgramCommand + kPage;
    EXPECT_EQ(bench_->activity.bus_phases, (Intervals{{0, "data in", 0, latched}}));
    EXPECT_EQ(bench_->activity.operations, (Intervals{{0, "", latched, latched + kTprog}}));
    EXPECT_EQ(bench_->finished, (Finished{{0, latched + kTprog}}));
}

TEST_F(ChannelTest, AnEraseIsCommandThenTbers) {
    build(shape(1), slc());
    script_.at(0, [this] { bench_->start_erase(0, 3); });
    run();
    EXPECT_EQ(bench_->activity.bus_phases, (Intervals{{0, "command", 0, kEraseCommand}}));
    EXPECT_EQ(bench_->finished, (Finished{{0, kEraseCommand + kTbers}}));
    EXPECT_EQ(bench_->dies[0]->statistics().erases, 1u);
}

// 18592 bytes at 416,666 fs are 7746.654 ns; in whole picoseconds a byte it would be 12 ns less.
TEST_F(ChannelTest, DataTakesTheTimeOfItsBytesToThePicosecond) {
    Geometry geometry = shape(1);
    geometry.page_bytes = 16384;
    geometry.spare_bytes = 2208;
    NandTiming timing = slc();
    timing.bus_byte_fs = 416'666;
    timing.command_cycle = 0;
    build(geometry, timing);
    script_.at(0, [this] { bench_->start_program(0, bench_->page(0, 0, 0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, 7'746'654 + kTprog}}));
}

TEST_F(ChannelTest, PagesOfATlcBlockTakeTheTimesOfTheirType) {
    build(shape(1), tlc());
    std::uint32_t next = 0;
    bench_->on_finished = [this, &next](std::uint32_t) {
        if (++next < 6) {
            bench_->start_program(0, bench_->page(0, 0, next));
        } else if (next < 12) {
            bench_->start_read(0, bench_->page(0, 0, next - 6));
        }
    };
    script_.at(0, [this] { bench_->start_program(0, bench_->page(0, 0, 0)); });
    run();
    std::vector<TimePs> durations;
    for (const Interval& operation : bench_->activity.operations) {
        durations.push_back(operation.end - operation.begin);
    }
    EXPECT_EQ(durations,
              (std::vector<TimePs>{400 * kUs, 550 * kUs, 700 * kUs, 400 * kUs, 550 * kUs, 700 * kUs,
                                   40 * kUs, 50 * kUs, 60 * kUs, 40 * kUs, 50 * kUs, 60 * kUs}));
}

TEST_F(ChannelTest, AMultiPlaneProgramIsAllTransfersAndOneTprog) {
    build(shape(1, 4), tlc());
    std::vector<Ppn> pages;
    for (std::uint32_t plane = 0; plane < 4; ++plane) {
        pages.push_back(bench_->page(0, plane, 1, plane)); // page index 1: the middle page
    }
    script_.at(0, [this, pages] { bench_->start(0, FlashOpKind::kProgram, pages); });
    run();
    const TimePs latched = 4 * (kProgramCommand + kPage);
    EXPECT_EQ(bench_->activity.bus_phases, (Intervals{{0, "data in", 0, latched}}));
    EXPECT_EQ(bench_->finished, (Finished{{0, latched + 550 * kUs}}));
    EXPECT_EQ(bench_->dies[0]->statistics().programs, 4u);
    for (const Ppn page : pages) {
        EXPECT_TRUE(bench_->array.is_programmed(page));
    }
}

// ---- the array changes when an operation completes ----------------------------------------------

TEST_F(ChannelTest, AProgrammedPageIsThereFromCompletionOnAndNotBefore) {
    build(shape(1), slc());
    const Ppn page = bench_->page(0, 0, 0);
    const TimePs end = kProgramCommand + kPage + kTprog;
    bool seen_at_completion = false;
    script_.at(0, [=] { bench_->start_program(0, page); });
    script_.at(end - 1, [=] { EXPECT_FALSE(bench_->array.is_programmed(page)); });
    bench_->on_finished = [&](std::uint32_t) {
        EXPECT_EQ(now_ps(), end);
        seen_at_completion = bench_->array.is_programmed(page);
    };
    run();
    EXPECT_TRUE(seen_at_completion);
}

TEST_F(ChannelTest, AnErasedBlockIsEmptyFromCompletionOnAndNotBefore) {
    build(shape(1), slc());
    const Ppn page = bench_->page(0, 2, 0);
    bench_->array.program(page, kNoLpn);
    const TimePs end = kEraseCommand + kTbers;
    bool gone_at_completion = false;
    script_.at(0, [=] { bench_->start_erase(0, 2); });
    script_.at(end - 1, [=] { EXPECT_TRUE(bench_->array.is_programmed(page)); });
    bench_->on_finished = [&](std::uint32_t) {
        EXPECT_EQ(now_ps(), end);
        gone_at_completion = !bench_->array.is_programmed(page);
    };
    run();
    EXPECT_TRUE(gone_at_completion);
    EXPECT_EQ(bench_->array.erase_count(bench_->geometry.block_of(page)), 1u);
}

TEST_F(ChannelTest, AReadSeesWhatIsThereWhenItsTrEnds) {
    build(shape(1), slc());
    const Ppn page = bench_->page(0, 0, 0);
    script_.at(0, [=] { bench_->start_read(0, page); });
    // One step before the end of tR the page appears: in time.
    script_.at(kReadCommand + kTr - 1, [=] { bench_->array.program(page, kNoLpn); });
    run();
    EXPECT_EQ(bench_->finished.size(), 1u);
}

TEST_F(ChannelTest, AReadOfAPageThatIsNotThereWhenItsTrEndsStopsTheRun) {
    build(shape(1), slc());
    script_.at(0, [this] { bench_->start_read(0, bench_->page(0, 0, 0)); });
    EXPECT_NE(run_to_error().find("page 0 of block 0 is read but was never programmed"),
              std::string::npos);
    EXPECT_EQ(now_ps(), kReadCommand + kTr);
}

// ---- four ways share the bus --------------------------------------------------------------------

TEST_F(ChannelTest, FourProgramsAskedAtOnceAreGrantedInTurn) {
    build(shape(4), slc());
    script_.at(0, [this] {
        for (const std::uint32_t slot : {2u, 0u, 3u, 1u}) { // the order of asking does not matter
            bench_->start_program(slot, bench_->page(slot, 0, 0));
        }
    });
    run();
    const TimePs phase = kProgramCommand + kPage;
    Intervals expected;
    Finished ends;
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        expected.push_back({slot, "data in", slot * phase, (slot + 1) * phase});
        ends.push_back({slot, (slot + 1) * phase + kTprog});
    }
    EXPECT_EQ(bench_->activity.bus_phases, expected);
    EXPECT_EQ(bench_->finished, ends);
    EXPECT_EQ(bench_->channel.statistics().grants, 4u);
    EXPECT_EQ(bench_->channel.statistics().busy, 4 * phase);
    EXPECT_EQ(bench_->channel.statistics().wait_ps.sum(), (1 + 2 + 3) * phase);
    EXPECT_EQ(bench_->channel.statistics().wait_ps.max(), 3 * phase);
}

class GrantOrderTest : public ChannelTest {
  protected:
    /// Who is granted after a long program of slot 0, during which slot 1 wants to program, slot 2
    /// to read, and slot 3 has read and wants its data out.
    std::vector<std::uint32_t> order(ArbiterPolicy policy) {
        build(shape(4), slc(), policy);
        for (const std::uint32_t slot : {2u, 3u}) {
            bench_->array.program(bench_->page(slot, 0, 0), kNoLpn);
        }
        script_.at(0, [this] { bench_->start_read(3, bench_->page(3, 0, 0)); });
        script_.at(kReadCommand + kTr - 1000,
                   [this] { bench_->start_program(0, bench_->page(0, 0, 0)); });
        script_.at(kReadCommand + kTr + 1000, [this] {
            bench_->start_program(1, bench_->page(1, 0, 0));
            bench_->start_read(2, bench_->page(2, 0, 0));
        });
        run();
        std::vector<std::uint32_t> slots;
        for (std::size_t i = 2; i < 5; ++i) {
            slots.push_back(bench_->activity.bus_phases.at(i).who);
        }
        const TimePs freed = bench_->activity.bus_phases.at(1).end;
        EXPECT_EQ(bench_->activity.bus_phases.at(2).begin, freed); // no time between
        return slots;
    }
};

TEST_F(GrantOrderTest, RoundRobinFollowsTheSlots) {
    EXPECT_EQ(order(ArbiterPolicy::kRoundRobin), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST_F(GrantOrderTest, PriorityPutsReadOutsFirstAndProgramDataLast) {
    EXPECT_EQ(order(ArbiterPolicy::kPriorityAge), (std::vector<std::uint32_t>{3, 2, 1}));
}

TEST_F(ChannelTest, ADieRequestsTheBusAgainAtTheMomentItGaveItBack) {
    build(shape(1), slc());
    bench_->timing.t_r[0] = 0; // the timing is looked up at each operation
    bench_->array.program(bench_->page(0, 0, 0), kNoLpn);
    script_.at(0, [this] { bench_->start_read(0, bench_->page(0, 0, 0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kReadCommand + kPage}}));
}

/// Operations at random on every die as fast as they are finished. Neither the bus nor a die ever
/// does two things at a time.
class ChannelTrafficTest : public ChannelTest,
                           public ::testing::WithParamInterface<ArbiterPolicy> {};

Intervals overlaps(Intervals intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    Intervals found;
    for (std::size_t i = 1; i < intervals.size(); ++i) {
        if (intervals[i].begin < intervals[i - 1].end) {
            found.push_back(intervals[i]);
        }
    }
    return found;
}

TEST_P(ChannelTrafficTest, NeitherBusNorDieDoesTwoThingsAtATime) {
    constexpr std::uint32_t kWays = 4;
    build(shape(kWays), slc(), GetParam());
    Random random(11);
    std::uint32_t started = 0;
    std::vector<std::uint32_t> written(kWays, 0); // pages of block 0 of each die
    const auto start = [&](std::uint32_t slot) {
        if (started++ >= 2000) {
            return;
        }
        if (written[slot] == 12) {
            written[slot] = 0;
            bench_->start_erase(slot, 0);
        } else if (written[slot] == 0 || random.below(3) == 0) {
            bench_->start_program(slot, bench_->page(slot, 0, written[slot]++));
        } else {
            const auto index = static_cast<std::uint32_t>(random.below(written[slot]));
            bench_->start_read(slot, bench_->page(slot, 0, index));
        }
    };
    bench_->on_finished = start;
    script_.at(0, [&] {
        for (std::uint32_t slot = 0; slot < kWays; ++slot) {
            start(slot);
        }
    });
    run();
    EXPECT_EQ(bench_->finished.size(), 2000u);
    EXPECT_TRUE(overlaps(bench_->activity.bus_phases).empty());
    for (std::uint32_t slot = 0; slot < kWays; ++slot) {
        Intervals own;
        for (const Intervals* list : {&bench_->activity.bus_phases, &bench_->activity.operations}) {
            std::copy_if(list->begin(), list->end(), std::back_inserter(own),
                         [slot](const Interval& i) { return i.who == slot; });
        }
        EXPECT_GT(own.size(), 500u);
        EXPECT_TRUE(overlaps(own).empty()) << "die " << slot;
    }
    TimePs held = 0;
    for (const Interval& phase : bench_->activity.bus_phases) {
        held += phase.end - phase.begin;
    }
    EXPECT_EQ(bench_->channel.statistics().busy, held);
    EXPECT_EQ(bench_->channel.statistics().grants, bench_->activity.bus_phases.size());
}

INSTANTIATE_TEST_SUITE_P(With, ChannelTrafficTest,
                         ::testing::Values(ArbiterPolicy::kRoundRobin, ArbiterPolicy::kPriorityAge),
                         [](const auto& test) {
                             return test.param == ArbiterPolicy::kRoundRobin ? "RoundRobin"
                                                                             : "PriorityAge";
                         });

TEST(OverlapTest, TwoIntervalsThatShareTimeAreFound) {
    EXPECT_TRUE(overlaps({{0, "", 0, 10}, {1, "", 10, 20}}).empty());
    EXPECT_EQ(overlaps({{0, "", 0, 10}, {1, "", 9, 20}}).size(), 1u);
}

/// Grants whatever is asked at once.
class LaxArbiter final : public ChannelArbiterIf {
  public:
    explicit LaxArbiter(GrantListenerIf& listener) : listener_(listener) {}
    void request(std::uint32_t slot, BusClass) override { listener_.granted(slot); }
    void release(std::uint32_t) override {}
    void release_at(std::uint32_t, TimePs) override {}

  private:
    GrantListenerIf& listener_;
};

TEST_F(ChannelTest, AnArbiterThatGrantsTheBusTwiceStopsTheRun) {
    build(shape(2), slc());
    LaxArbiter lax(bench_->channel);
    bench_->channel.connect(lax);
    script_.at(0, [this] { bench_->start_program(0, bench_->page(0, 0, 0)); });
    script_.at(kProgramCommand + kPage - 1, [this] { bench_->start_erase(1, 0); });
    EXPECT_NE(run_to_error().find("the bus is granted to one die at a time"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
