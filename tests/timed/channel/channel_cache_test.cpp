// Cache reads and cache programs: exact times by hand, alone and with two dies on the bus, and what
// a die refuses.

#include "timed/channel/channel.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycle = 25 * kNs;
constexpr TimePs kCommand = 7 * kCycle;
constexpr TimePs kPage = 2112 * 5 * kNs;
constexpr TimePs kTwb = 100 * kNs;
constexpr TimePs kTadl = 150 * kNs;
constexpr TimePs kTccs = 300 * kNs;
constexpr TimePs kTrhw = 200 * kNs;
constexpr TimePs kTrcbsy = 3 * kUs;
constexpr TimePs kTcbsy = 4 * kUs;
constexpr TimePs kDataIn = kCommand + kTadl + kPage;
constexpr std::uint32_t kPages = 5;

using Finished = std::vector<FlashBench::Finished>;
using Pages = std::vector<std::uint32_t>;

/// Two dies of two planes of four blocks of eight pages. Blocks 0 and 1 are programmed.
class ChannelCacheTest : public SystemcTest {
  protected:
    void build(TimePs t_r, TimePs t_prog, std::uint32_t units = 1) {
        NandTiming timing;
        timing.t_r = {t_r};
        timing.t_prog = {t_prog};
        timing.t_bers = 3500 * kUs;
        timing.bus_byte_fs = 5'000'000;
        timing.command_cycle = kCycle;
        timing.t_wb = kTwb;
        timing.t_adl = kTadl;
        timing.t_ccs = kTccs;
        timing.t_rhw = kTrhw;
        timing.cache = {true, true, kTrcbsy, kTcbsy};
        Geometry geometry;
        geometry.channels = 1;
        geometry.ways = 2;
        geometry.planes_per_die = 2;
        geometry.blocks_per_plane = 4;
        geometry.pages_per_block = 8;
        geometry.page_bytes = 2048;
        geometry.spare_bytes = 64;
        bench_ = std::make_unique<FlashBench>("bench", geometry.in_units(2048 / units), timing);
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            for (std::uint32_t index = 0; index < 8 * units; ++index) {
                for (std::uint32_t block = 0; block < 2; ++block) {
                    bench_->array.program(bench_->page(slot, block, index, 0), kNoLpn);
                    bench_->array.program(bench_->page(slot, block, index, 1), kNoLpn);
                }
            }
        }
        bench_->on_next_read = [this](std::uint32_t slot) {
            if (next_[slot] == pages_.size()) {
                return false;
            }
            bench_->fill(bench_->channel.next_command(slot), FlashOpKind::kRead, named(slot));
            return true;
        };
        bench_->on_cache_free = [this](std::uint32_t slot) {
            if (next_[slot] != pages_.size()) {
                NandExtension& command = bench_->channel.next_command(slot);
                bench_->fill(command, FlashOpKind::kProgram, named(slot));
                if (next_[slot] != pages_.size()) {
                    command.what = NandCommand::kCacheProgram;
                }
                bench_->channel.start_next(slot);
            }
        };
    }
    /// The pages of the command that comes next.
    std::vector<Ppn> named(std::uint32_t slot) {
        const std::uint32_t index = pages_[next_[slot]++];
        std::vector<Ppn> pages;
        for (std::uint32_t plane = 0; plane < planes_; ++plane) {
            pages.push_back(bench_->page(slot, block_, index, plane));
        }
        return pages;
    }
    void start_reads(std::uint32_t slot) { bench_->start(slot, FlashOpKind::kRead, named(slot)); }
    void start_programs(std::uint32_t slot) {
        bench_->start(slot, FlashOpKind::kProgram, named(slot),
                      pages_.size() > 1 ? NandCommand::kCacheProgram : NandCommand::kProgram);
    }
    /// Times at which the commands of a slot finished.
    [[nodiscard]] std::vector<TimePs> ends(std::uint32_t slot) const {
        std::vector<TimePs> ends;
        for (const FlashBench::Finished& each : bench_->finished) {
            if (each.slot == slot) {
                ends.push_back(each.at);
            }
        }
        return ends;
    }
    static std::vector<TimePs> every(TimePs first, TimePs period, std::uint32_t count = kPages) {
        std::vector<TimePs> times;
        for (std::uint32_t i = 0; i < count; ++i) {
            times.push_back(first + i * period);
        }
        return times;
    }

    std::unique_ptr<FlashBench> bench_;
    std::uint32_t block_ = 0;
    std::uint32_t planes_ = 1;
    Pages pages_{0, 1, 2, 3, 4};
    std::array<std::size_t, 2> next_{};
    Script script_{"script"};
};

// The array is never idle: data out and the command of the next page hide behind tR.
TEST_F(ChannelCacheTest, PagesOfABlockFollowEachOtherAtTheTimeOfTheArray) {
    const TimePs t_r = 40 * kUs;
    build(t_r, 400 * kUs);
    script_.at(0, [this] { start_reads(0); });
    run();
    const TimePs first = kCommand + kTwb + t_r + kCycle + kTwb + kTrcbsy + kPage;
    EXPECT_EQ(ends(0), every(first, t_r));
    EXPECT_EQ(bench_->dies[0]->statistics().reads, kPages);
    EXPECT_EQ(bench_->dies[0]->statistics().cache_reads, kPages - 1);
    // tWB of the first 31h alone is not hidden.
    EXPECT_EQ(bench_->dies[0]->statistics().busy, 2 * kTwb + kPages * t_r);
    std::vector<std::string> phases;
    for (const Interval& phase : bench_->activity.bus_phases) {
        phases.push_back(phase.what);
    }
    EXPECT_EQ(phases, (std::vector<std::string>{"command", "cache read", "data out", "cache read",
                                                "data out", "cache read", "data out", "cache read",
                                                "data out", "cache end", "data out"}));
}

// The bus is never idle: tR hides behind it.
TEST_F(ChannelCacheTest, PagesOfABlockFollowEachOtherAtTheTimeOfTheBus) {
    const TimePs t_r = 8 * kUs;
    build(t_r, 400 * kUs);
    script_.at(0, [this] { start_reads(0); });
    run();
    const TimePs first = kCommand + kTwb + t_r + kCycle + kTwb + kTrcbsy + kPage;
    EXPECT_EQ(ends(0), every(first, kPage + kTrhw + kCycle + kTwb + kTrcbsy));
}

TEST_F(ChannelCacheTest, PagesOutOfOrderAreNamedEach) {
    const TimePs t_r = 8 * kUs;
    build(t_r, 400 * kUs);
    pages_ = {4, 1, 7, 0};
    script_.at(0, [this] { start_reads(0); });
    run();
    const TimePs first = kCommand + kTwb + t_r + kCommand + kTwb + kTrcbsy + kPage;
    std::vector<TimePs> expected = every(first, kPage + kTrhw + kCommand + kTwb + kTrcbsy, 4);
    expected.back() -= kCommand - kCycle; // 3Fh
    EXPECT_EQ(ends(0), expected);
}

// 31h and 3Fh are all that it costs where nothing is hidden: one page, and one behind it.
TEST_F(ChannelCacheTest, AReadThatNothingFollowsTakesNoMoreThanWithout) {
    const TimePs t_r = 40 * kUs;
    build(t_r, 400 * kUs);
    pages_ = {3};
    script_.at(0, [this] { start_reads(0); });
    run();
    EXPECT_EQ(ends(0), std::vector<TimePs>{kCommand + kTwb + t_r + kPage});
    EXPECT_EQ(bench_->dies[0]->statistics().cache_reads, 0u);
}

TEST_F(ChannelCacheTest, PlanesTogetherFollowThemselves) {
    const TimePs t_r = 60 * kUs;
    build(t_r, 400 * kUs);
    planes_ = 2;
    script_.at(0, [this] { start_reads(0); });
    run();
    const TimePs named = 2 * kCommand + kTwb; // tDBSY is zero
    const TimePs out = kCommand + kTccs + kPage;
    const TimePs first = named + kTwb + t_r + named + kTwb + kTrcbsy + 2 * out + kTrhw;
    EXPECT_EQ(ends(0), every(first, t_r));
    EXPECT_EQ(bench_->dies[0]->statistics().cache_reads, 2 * (kPages - 1));
}

// Data of the cache register come from its first column on; a part of a page is a change of column.
TEST_F(ChannelCacheTest, APartOfAPageTakesAChangeOfColumn) {
    const TimePs t_r = 40 * kUs;
    build(t_r, 400 * kUs, 4);
    pages_ = {1, 5};
    script_.at(0, [this] { start_reads(0); });
    run();
    const TimePs out = 4 * kCycle + kTccs + 528 * 5 * kNs;
    const TimePs first = kCommand + kTwb + t_r + kCycle + kTwb + kTrcbsy + out;
    EXPECT_EQ(ends(0), every(first, t_r, 2));
}

// The other parts of the page come behind the first one, while the array reads the next page.
TEST_F(ChannelCacheTest, PartsOfAPageGoOutTogether) {
    const TimePs t_r = 40 * kUs;
    build(t_r, 400 * kUs, 4);
    pages_ = {4, 8};
    bench_->on_next_read = [this](std::uint32_t slot) {
        if (next_[slot] == pages_.size()) {
            return false;
        }
        NandExtension& command = bench_->channel.command(slot);
        for (; command.count < 4; ++command.count) {
            command.pages[command.count] = bench_->page(slot, block_, 4 + command.count);
            command.lpns[command.count] = kNoLpn;
        }
        bench_->fill(bench_->channel.next_command(slot), FlashOpKind::kRead, named(slot));
        return true;
    };
    script_.at(0, [this] { start_reads(0); });
    run();
    const TimePs out = 4 * kCycle + kTccs + 528 * 5 * kNs;
    const TimePs cached = kCommand + kTwb + t_r + kCycle + kTwb + kTrcbsy;
    EXPECT_EQ(ends(0), (std::vector<TimePs>{cached + 4 * out + 3 * kTrhw, cached + t_r + out}));
    EXPECT_EQ(bench_->pages_out.size(), 3u);
    EXPECT_EQ(bench_->dies[0]->statistics().reads, 2u);
    EXPECT_EQ(bench_->dies[0]->statistics().register_reads, 3u);
}

// Each die alone would be limited by its array; their phases find the bus free, or wait for one of
// the other die at most.
TEST_F(ChannelCacheTest, TwoDiesOnABusKeepTheTimeOfTheArray) {
    const TimePs t_r = 40 * kUs;
    build(t_r, 400 * kUs);
    script_.at(0, [this] {
        start_reads(0);
        start_reads(1);
    });
    run();
    const TimePs moved = kCommand + kTwb + t_r + kCycle + kTwb + kTrcbsy;
    EXPECT_EQ(ends(0), every(moved + kPage, t_r));
    // The 31h of the second die, ready a command later, is in the gap in which the first one moves
    // its page to the cache register. So its data wait for those of the first die, each time.
    static_assert(kCommand > kCycle && kCommand + kCycle < kCycle + kTwb + kTrcbsy);
    EXPECT_EQ(ends(1), every(moved + kPage + kTrhw + kPage, t_r));
}

TEST_F(ChannelCacheTest, TwoDiesOnABusMoveTheirPagesInTurn) {
    const TimePs t_r = 8 * kUs;
    build(t_r, 400 * kUs);
    script_.at(0, [this] {
        start_reads(0);
        start_reads(1);
    });
    run();
    // The 31h of a die waits for the data of the other one: so both come between two pairs of data,
    // and tWB and tRCBSY of the first die are not hidden.
    const TimePs first = kCommand + kTwb + t_r + kCycle + kTwb + kTrcbsy + kPage;
    const TimePs period = 2 * (kPage + kTrhw) + kCycle + kTwb + kTrcbsy;
    EXPECT_EQ(ends(0)[0], first);
    EXPECT_EQ(ends(1)[0], first + kTrhw + kPage);
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        EXPECT_EQ(ends(slot)[3] - ends(slot)[2], period) << slot;
    }
}

TEST_F(ChannelCacheTest, ProgramsOfABlockFollowEachOtherAtTheTimeOfTheArray) {
    const TimePs t_prog = 400 * kUs;
    build(40 * kUs, t_prog);
    block_ = 2;
    script_.at(0, [this] { start_programs(0); });
    run();
    EXPECT_EQ(ends(0), every(kDataIn + kTwb + t_prog, t_prog));
    EXPECT_EQ(bench_->dies[0]->statistics().programs, kPages);
    EXPECT_EQ(bench_->dies[0]->statistics().cache_programs, kPages - 1);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTwb + kPages * t_prog);
    EXPECT_EQ(bench_->caches_free.size(), kPages - 1);
    EXPECT_EQ(bench_->caches_free[0], (FlashBench::Finished{0, kDataIn + kTwb + kTcbsy}));
    EXPECT_TRUE(bench_->array.is_programmed(bench_->page(0, 2, kPages - 1)));
    EXPECT_FALSE(bench_->array.is_programmed(bench_->page(0, 2, kPages)));
}

TEST_F(ChannelCacheTest, ProgramsOfABlockFollowEachOtherAtTheTimeOfTheBus) {
    const TimePs t_prog = 9 * kUs;
    build(40 * kUs, t_prog);
    block_ = 2;
    script_.at(0, [this] { start_programs(0); });
    run();
    EXPECT_EQ(ends(0), every(kDataIn + kTwb + t_prog, kTcbsy + kDataIn + kTwb));
}

// The array ends while the data come in, and while the die is about to be busy with them: in the
// time of data in, in tWB.
TEST_F(ChannelCacheTest, TheArrayMayEndAtAnyMomentOfWhatFollows) {
    block_ = 2;
    for (const TimePs t_prog : {kTcbsy + kDataIn - 1, kTcbsy + kDataIn, kTcbsy + kDataIn + 1,
                                kTcbsy + kDataIn + kTwb, kTcbsy + kDataIn + kTwb + 1}) {
        SCOPED_TRACE(t_prog);
        if (bench_ == nullptr) {
            build(40 * kUs, t_prog);
        }
        bench_->timing.t_prog = {t_prog};
        bench_->finished.clear();
        next_ = {};
        bench_->array.erase(bench_->geometry.block(PlaneId{0}, 2));
        const TimePs start = now_ps();
        script_.at(start, [this] { start_programs(0); });
        run();
        EXPECT_EQ(ends(0), every(start + kDataIn + kTwb + t_prog,
                                 std::max(t_prog, kTcbsy + kDataIn + kTwb)));
    }
}

TEST_F(ChannelCacheTest, TwoDiesThatProgramShareTheBus) {
    const TimePs t_prog = 400 * kUs;
    build(40 * kUs, t_prog);
    block_ = 2;
    planes_ = 2;
    script_.at(0, [this] {
        start_programs(0);
        start_programs(1);
    });
    run();
    const TimePs data_in = 2 * kDataIn + kTwb; // tDBSY is zero
    EXPECT_EQ(ends(0), every(data_in + kTwb + t_prog, t_prog));
    EXPECT_EQ(ends(1), every(2 * data_in + kTwb + t_prog, t_prog));
    EXPECT_EQ(bench_->dies[1]->statistics().cache_programs, 2 * (kPages - 1));
}

// The bus is never idle, so that the array has ended before it is granted.
TEST_F(ChannelCacheTest, TwoDiesThatProgramLeaveTheBusNoGap) {
    const TimePs t_prog = 9 * kUs;
    build(40 * kUs, t_prog);
    block_ = 2;
    script_.at(0, [this] {
        start_programs(0);
        start_programs(1);
    });
    run();
    EXPECT_EQ(ends(0), every(kDataIn + kTwb + t_prog, 2 * kDataIn));
    EXPECT_EQ(ends(1), every(2 * kDataIn + kTwb + t_prog, 2 * kDataIn));
}

class ChannelCacheRefusesTest : public ChannelCacheTest {
  protected:
    ChannelCacheRefusesTest() { build(40 * kUs, 400 * kUs); }
    void expect_refusal(const char* reason) {
        const std::string error = run_to_error();
        EXPECT_NE(error.find(reason), std::string::npos) << error;
    }
};

TEST_F(ChannelCacheRefusesTest, ACacheReadOfAnotherBlock) {
    script_.at(0, [this] { start_reads(0); });
    script_.at(1, [this] { block_ = 1; });
    expect_refusal("a cache read stays in its blocks");
}

TEST_F(ChannelCacheRefusesTest, ACacheReadOfAnotherBlockWhileTheArrayReads) {
    script_.at(0, [this] { start_reads(0); });
    script_.at(60 * kUs, [this] { block_ = 1; });
    expect_refusal("a cache read stays in its blocks");
}

TEST_F(ChannelCacheRefusesTest, ACacheReadOfMorePlanesThanTheReadBefore) {
    script_.at(0, [this] { start_reads(0); });
    script_.at(1, [this] { planes_ = 2; });
    expect_refusal("a cache read stays in its blocks");
}

TEST_F(ChannelCacheRefusesTest, ACacheReadThatReadsNothing) {
    bench_->on_next_read = [this](std::uint32_t slot) {
        bench_->fill(bench_->channel.next_command(slot), FlashOpKind::kErase,
                     {bench_->page(slot, 0, 1)});
        return true;
    };
    script_.at(0, [this] { start_reads(0); });
    expect_refusal("a cache read reads");
}

TEST_F(ChannelCacheRefusesTest, ACacheProgramOfAnotherBlock) {
    block_ = 2;
    script_.at(0, [this] { start_programs(0); });
    script_.at(1, [this] { block_ = 3; });
    expect_refusal("a cache program stays in its blocks");
}

TEST_F(ChannelCacheRefusesTest, AReadBehindAProgram) {
    block_ = 2;
    bench_->on_cache_free = [this](std::uint32_t slot) {
        bench_->fill(bench_->channel.next_command(slot), FlashOpKind::kRead,
                     {bench_->page(slot, 1, 0)});
        bench_->channel.start_next(slot);
    };
    script_.at(0, [this] { start_programs(0); });
    expect_refusal("a die that programs takes programs alone");
}

// 10h: the cache register is not free before the program ends.
TEST_F(ChannelCacheRefusesTest, AProgramBehindOneThatWasNotCached) {
    block_ = 2;
    script_.at(0, [this] { bench_->start_program(0, bench_->page(0, 2, 0)); });
    script_.at(100 * kUs, [this] {
        bench_->fill(bench_->channel.next_command(0), FlashOpKind::kProgram,
                     {bench_->page(0, 2, 1)});
        bench_->channel.start_next(0);
    });
    expect_refusal("a die takes no command while busy");
}

} // namespace
} // namespace cavern::testing
