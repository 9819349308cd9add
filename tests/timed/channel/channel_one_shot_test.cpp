// Word lines that one command programs: exact times by hand, alone, in several planes and with two
// dies on the bus, and what a die refuses.

#include "timed/channel/channel.h"

#include <gtest/gtest.h>

#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycles = 7 * 25 * kNs;
constexpr TimePs kTadl = 150 * kNs;
constexpr TimePs kTwb = 100 * kNs;
constexpr TimePs kTdbsy = 500 * kNs;
constexpr TimePs kData = 2112 * 5 * kNs;
constexpr TimePs kTprog = 400 * kUs + 550 * kUs + 700 * kUs; // of the three pages
constexpr std::uint32_t kPages = 3;

/// The data of `pages` pages, those of a word line in one plane or several.
constexpr TimePs data_in(std::uint32_t pages) {
    return pages * (kCycles + kTadl + kData) + (pages - 1) * (kTwb + kTdbsy);
}

using Finished = std::vector<FlashBench::Finished>;

/// Two dies of four planes, whose blocks have two word lines; the first block is in SLC mode.
class ChannelOneShotTest : public SystemcTest {
  protected:
    ChannelOneShotTest() {
        timing_.t_r = {40 * kUs, 50 * kUs, 60 * kUs};
        timing_.t_prog = {400 * kUs, 550 * kUs, 700 * kUs};
        timing_.t_bers = 3500 * kUs;
        timing_.slc_t_r = 25 * kUs;
        timing_.slc_t_prog = 200 * kUs;
        timing_.bus_byte_fs = 5'000'000;
        timing_.command_cycle = 25 * kNs;
        timing_.t_wb = kTwb;
        timing_.t_adl = kTadl;
        timing_.t_dbsy = kTdbsy;
        timing_.one_shot.on = true;
        geometry_.channels = 1;
        geometry_.ways = 2;
        geometry_.planes_per_die = 4;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 2 * kPages;
        geometry_.page_bytes = 2048;
        geometry_.spare_bytes = 64;
        geometry_.slc_blocks = 1;
        geometry_.slc_pages = 2;
        geometry_.word_line_pages = kPages;
    }
    void build() { bench_ = std::make_unique<FlashBench>("bench", geometry_, timing_); }
    [[nodiscard]] std::vector<Ppn> word_line(std::uint32_t slot, std::uint32_t line = 0,
                                             std::uint32_t planes = 1) const {
        std::vector<Ppn> pages;
        for (std::uint32_t plane = 0; plane < planes; ++plane) {
            for (std::uint32_t i = 0; i < kPages; ++i) {
                pages.push_back(bench_->page(slot, 1, line * kPages + i, plane));
            }
        }
        return pages;
    }
    void start(std::uint32_t slot, const std::vector<Ppn>& pages) {
        bench_->start(slot, FlashOpKind::kProgram, pages);
    }
    std::string error_of(const std::vector<Ppn>& pages) {
        script_.at(0, [this, pages] { start(0, pages); });
        return run_to_error();
    }

    NandTiming timing_;
    Geometry geometry_;
    std::unique_ptr<FlashBench> bench_;
    Script script_{"script"};
};

TEST_F(ChannelOneShotTest, TheDataOfAWordLineComeInBeforeOneTprog) {
    build();
    script_.at(0, [this] { start(0, word_line(0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, data_in(kPages) + kTwb + kTprog}}));
    EXPECT_EQ(bench_->activity.bus_phases,
              (std::vector<Interval>{{0, "word line in", 0, data_in(kPages)}}));
    EXPECT_EQ(bench_->channel.statistics().grants, 1u);
    EXPECT_EQ(bench_->channel.statistics().bytes, kPages * 2112u);
    EXPECT_EQ(bench_->dies[0]->statistics().programs, kPages);
    EXPECT_EQ(bench_->dies[0]->statistics().one_shots, 1u);
    EXPECT_EQ(bench_->dies[0]->array_times().program,
              (std::vector<TimePs>{kTwb + kTprog, 0})); // one type, and SLC mode
    for (const Ppn page : word_line(0)) {
        EXPECT_TRUE(bench_->array.is_programmed(page));
    }
}

TEST_F(ChannelOneShotTest, AWordLineTakesTheTimeThatThePartGives) {
    timing_.one_shot.t_prog = 1200 * kUs;
    build();
    script_.at(0, [this] { start(0, word_line(0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, data_in(kPages) + kTwb + 1200 * kUs}}));
}

// One time for all page types is that of each page.
TEST_F(ChannelOneShotTest, PagesOfOneTimeTakeItEach) {
    timing_.t_prog = {500 * kUs};
    build();
    script_.at(0, [this] { start(0, word_line(0)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, data_in(kPages) + kTwb + 3 * 500 * kUs}}));
}

TEST_F(ChannelOneShotTest, PlanesProgramTheirWordLinesInOneTprog) {
    build();
    script_.at(0, [this] { start(1, word_line(1, 0, 4)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{1, data_in(4 * kPages) + kTwb + kTprog}}));
    EXPECT_EQ(bench_->dies[1]->statistics().programs, 4 * kPages);
    EXPECT_EQ(bench_->dies[1]->statistics().one_shots, 4u);
}

// The second die has the bus when the data of the first are in; the arrays work side by side.
TEST_F(ChannelOneShotTest, TwoDiesShareTheBus) {
    build();
    script_.at(0, [this] {
        start(0, word_line(0, 0, 4));
        start(1, word_line(1, 0, 2));
    });
    run();
    const TimePs first = data_in(4 * kPages);
    const TimePs second = first + data_in(2 * kPages);
    EXPECT_EQ(bench_->finished,
              (Finished{{0, first + kTwb + kTprog}, {1, second + kTwb + kTprog}}));
}

TEST_F(ChannelOneShotTest, APageInSlcModeIsProgrammedByItself) {
    build();
    script_.at(0, [this] { start(0, {bench_->page(0, 0, 0)}); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, data_in(1) + kTwb + 200 * kUs}}));
    EXPECT_EQ(bench_->activity.bus_phases, (std::vector<Interval>{{0, "data in", 0, data_in(1)}}));
    EXPECT_EQ(bench_->dies[0]->statistics().one_shots, 0u);
}

TEST_F(ChannelOneShotTest, AWordLineIsSuspendedWhole) {
    timing_.suspend.programs = true;
    timing_.suspend.t_suspend = 10 * kUs;
    timing_.suspend.t_resume = 5 * kUs;
    build();
    const TimePs suspend = 4 * 25 * kNs;
    const TimePs asked = data_in(kPages) + 100 * kUs;
    bench_->on_suspended = [this](std::uint32_t slot) { bench_->channel.resume(slot); };
    script_.at(0, [this] { start(0, word_line(0)); });
    script_.at(asked, [this] { bench_->channel.suspend(0); });
    run();
    const TimePs left = kTwb + kTprog - 100 * kUs - suspend;
    EXPECT_EQ(bench_->finished,
              (Finished{{0, asked + suspend + 10 * kUs + suspend + 5 * kUs + left}}));
}

TEST_F(ChannelOneShotTest, NoPageOfASuspendedWordLineIsRead) {
    timing_.suspend.programs = true;
    build();
    bench_->on_suspended = [this](std::uint32_t) { bench_->start_read(0, word_line(0)[2]); };
    script_.at(0, [this] { start(0, word_line(0)); });
    script_.at(data_in(kPages) + 100 * kUs, [this] { bench_->channel.suspend(0); });
    EXPECT_NE(run_to_error().find("what is suspended is not read"), std::string::npos);
}

TEST_F(ChannelOneShotTest, TheNextWordLineComesInWhileTheArrayWorks) {
    timing_.cache.programs = true;
    timing_.cache.t_cbsy = 3 * kUs;
    build();
    bench_->on_cache_free = [this](std::uint32_t slot) {
        bench_->fill(bench_->channel.next_command(slot), FlashOpKind::kProgram, word_line(0, 1));
        bench_->channel.start_next(slot);
    };
    script_.at(0, [this] {
        bench_->start(0, FlashOpKind::kProgram, word_line(0), NandCommand::kCacheProgram);
    });
    run();
    const TimePs first = data_in(kPages) + kTwb + kTprog;
    EXPECT_EQ(bench_->finished, (Finished{{0, first}, {0, first + kTprog}}));
    EXPECT_EQ(bench_->activity.bus_phases[0].what, "cache word line in");
    EXPECT_EQ(bench_->dies[0]->statistics().one_shots, 2u);
}

// ---- what a die refuses -------------------------------------------------------------------------

TEST_F(ChannelOneShotTest, AWordLineThatLacksAPageIsRefused) {
    build();
    std::vector<Ppn> pages = word_line(0);
    pages.pop_back();
    EXPECT_NE(error_of(pages).find("a one-shot program has all pages of its word lines"),
              std::string::npos);
}

constexpr const char* kInOrder =
    "the pages of a one-shot program are those of a word line, in order";

TEST_F(ChannelOneShotTest, PagesInAnotherOrderAreRefused) {
    build();
    std::vector<Ppn> pages = word_line(0);
    std::swap(pages[0], pages[1]);
    EXPECT_NE(error_of(pages).find(kInOrder), std::string::npos);
}

TEST_F(ChannelOneShotTest, PagesOfTwoWordLinesAreRefused) {
    build();
    EXPECT_NE(error_of({bench_->page(0, 1, 1), bench_->page(0, 1, 2), bench_->page(0, 1, 3)})
                  .find(kInOrder),
              std::string::npos);
}

TEST_F(ChannelOneShotTest, APageOfAnotherBlockIsRefused) {
    build();
    std::vector<Ppn> pages = word_line(0);
    pages[2] = bench_->page(0, 2, 2);
    EXPECT_NE(error_of(pages).find(kInOrder), std::string::npos);
}

TEST_F(ChannelOneShotTest, WordLinesOfTwoIndicesAreRefused) {
    build();
    std::vector<Ppn> pages = word_line(0);
    for (std::uint32_t i = 0; i < kPages; ++i) {
        pages.push_back(bench_->page(0, 1, kPages + i, 1));
    }
    EXPECT_NE(error_of(pages).find("the planes of a command work on pages of one index"),
              std::string::npos);
}

TEST_F(ChannelOneShotTest, TwoWordLinesOfAPlaneAreRefused) {
    build();
    std::vector<Ppn> pages = word_line(0);
    const std::vector<Ppn> again = word_line(0);
    pages.insert(pages.end(), again.begin(), again.end());
    EXPECT_NE(error_of(pages).find("a command names a plane once"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
