// Programs and erases that are suspended for reads: exact times by hand, and what a die refuses.

#include "timed/channel/channel.h"

#include <gtest/gtest.h>
#include <utility>

#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycle = 25 * kNs;
constexpr TimePs kPage = 2112 * 5 * kNs;
constexpr TimePs kTr = 40 * kUs;
constexpr TimePs kTprog = 400 * kUs;
constexpr TimePs kTbers = 3500 * kUs;
constexpr TimePs kSuspendCommand = 4 * kCycle;
constexpr TimePs kTsuspend = 20 * kUs;
constexpr TimePs kTresume = 5 * kUs;
constexpr TimePs kRead = 7 * kCycle + kTr + kPage;
constexpr TimePs kProgramLatched = 7 * kCycle + kPage;

using Finished = std::vector<FlashBench::Finished>;

class ChannelSuspendTest : public SystemcTest {
  protected:
    ChannelSuspendTest() {
        NandTiming timing;
        timing.t_r = {kTr};
        timing.t_prog = {kTprog};
        timing.t_bers = kTbers;
        timing.bus_byte_fs = 5'000'000;
        timing.command_cycle = kCycle;
        timing.suspend = {true, true, 4, kTsuspend, kTresume, 0, 0};
        Geometry geometry;
        geometry.channels = 1;
        geometry.ways = 2;
        geometry.planes_per_die = 1;
        geometry.blocks_per_plane = 4;
        geometry.pages_per_block = 4;
        geometry.page_bytes = 2048;
        geometry.spare_bytes = 64;
        bench_ = std::make_unique<FlashBench>("bench", geometry, timing);
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            bench_->array.program(page(slot, 0), kNoLpn);
            bench_->array.program(page(slot, 1), kNoLpn);
        }
    }
    [[nodiscard]] Ppn page(std::uint32_t slot, std::uint32_t block, std::uint32_t index = 0) const {
        return bench_->page(slot, block, index);
    }
    /// One read of block 1, then the suspended operation goes on.
    void read_while_suspended() {
        bench_->on_suspended = [this](std::uint32_t slot) {
            bench_->start_read(slot, page(slot, 1));
            reads_ = true;
        };
        bench_->on_finished = [this](std::uint32_t slot) {
            if (std::exchange(reads_, false)) {
                bench_->channel.resume(slot);
            }
        };
    }

    std::unique_ptr<FlashBench> bench_;
    bool reads_ = false;
    Script script_{"script"};
};

TEST_F(ChannelSuspendTest, AProgramGoesOnWhereItWasAfterAReadAndTakesALittleLonger) {
    read_while_suspended();
    const TimePs asked = 100 * kUs;
    script_.at(0, [this] { bench_->start_program(0, page(0, 2)); });
    script_.at(asked, [this] { bench_->channel.suspend(0); });
    run();
    const TimePs stopped = asked + kSuspendCommand;
    const TimePs taken = stopped + kTsuspend;
    const TimePs resumed = taken + kRead + kSuspendCommand;
    const TimePs left = kProgramLatched + kTprog - stopped;
    EXPECT_EQ(bench_->suspended, (Finished{{0, taken}}));
    EXPECT_EQ(bench_->finished, (Finished{{0, taken + kRead}, {0, resumed + kTresume + left}}));
    EXPECT_EQ(bench_->dies[0]->statistics().suspensions, 1u);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTprog + kTr + kTresume);
    EXPECT_EQ(bench_->activity.operations,
              (std::vector<Interval>{{0, "", kProgramLatched, stopped},
                                     {0, "", taken + 7 * kCycle, taken + 7 * kCycle + kTr},
                                     {0, "", resumed, resumed + kTresume + left}}));
    EXPECT_TRUE(bench_->array.is_programmed(page(0, 2)));
}

// Another die has the bus: until the resume nobody knows when the array ends.
TEST_F(ChannelSuspendTest, AnOperationThatIsNotYetResumedHasNoEnd) {
    bench_->on_suspended = [this](std::uint32_t slot) {
        bench_->start_program(1, page(1, 2));
        bench_->channel.resume(slot);
        EXPECT_EQ(bench_->channel.command(slot).ends, 0u);
    };
    script_.at(0, [this] { bench_->start_program(0, page(0, 2)); });
    script_.at(100 * kUs, [this] { bench_->channel.suspend(0); });
    const TimePs resumed =
        100 * kUs + kSuspendCommand + kTsuspend + kProgramLatched + kSuspendCommand;
    script_.at(resumed + 1, [this] { EXPECT_GT(bench_->channel.command(0).ends, now_ps()); });
    run();
    EXPECT_EQ(bench_->finished.size(), 2u);
}

// The other die's data are on the bus when the suspend is asked for, and when the resume is.
TEST_F(ChannelSuspendTest, ASuspendWaitsForTheBusAsAnyCommandDoes) {
    bench_->on_suspended = [this](std::uint32_t slot) { bench_->channel.resume(slot); };
    const TimePs latched = 5 * kCycle;
    const TimePs out_at = latched + 7 * kCycle + kTr;
    script_.at(0, [this] { bench_->start_erase(0, 3); });
    script_.at(latched, [this] { bench_->start_read(1, page(1, 0)); });
    script_.at(out_at + 1, [this] { bench_->channel.suspend(0); });
    run();
    const TimePs stopped = out_at + kPage + kSuspendCommand;
    const TimePs resumed = stopped + kTsuspend + kSuspendCommand;
    const TimePs left = latched + kTbers - stopped;
    EXPECT_EQ(bench_->finished, (Finished{{1, out_at + kPage}, {0, resumed + kTresume + left}}));
}

TEST_F(ChannelSuspendTest, AnOperationIsSuspendedAnyNumberOfTimes) {
    read_while_suspended();
    script_.at(0, [this] { bench_->start_erase(0, 3); });
    for (std::uint32_t i = 1; i <= 5; ++i) {
        script_.at(i * 200 * kUs, [this] { bench_->channel.suspend(0); });
    }
    run();
    EXPECT_EQ(bench_->suspended.size(), 5u);
    const TimePs away = kTsuspend + kRead + kSuspendCommand + kTresume;
    EXPECT_EQ(bench_->finished.back().at, 5 * kCycle + kTbers + 5 * away);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTbers + 5 * (kTr + kTresume));
}

// The array ends before the command does: nothing is suspended, and nothing waits but the bus.
TEST_F(ChannelSuspendTest, ASuspendThatComesTooLateIsIgnored) {
    const TimePs ends = kProgramLatched + kTprog;
    for (const TimePs before : {kSuspendCommand, kSuspendCommand / 2, TimePs{1}}) {
        bench_->finished.clear();
        const TimePs start = now_ps();
        const std::uint32_t index = static_cast<std::uint32_t>(before == kSuspendCommand ? 0
                                                               : before == 1             ? 2
                                                                                         : 1);
        script_.at(start, [this, index] { bench_->start_program(0, page(0, 2, index)); });
        script_.at(start + ends - before, [this] { bench_->channel.suspend(0); });
        run();
        EXPECT_EQ(bench_->finished, (Finished{{0, start + ends - before + kSuspendCommand}}));
    }
    EXPECT_TRUE(bench_->suspended.empty());
    EXPECT_EQ(bench_->dies[0]->statistics().suspensions, 0u);
}

// The bus is held by the other die until after the end: the die is ready, and told so afterwards.
TEST_F(ChannelSuspendTest, ASuspendWhoseBusComesTooLateIsIgnored) {
    const TimePs ends = 5 * kCycle + kTbers;
    const TimePs data_in = ends - kPage / 2;
    script_.at(0, [this] { bench_->start_erase(0, 3); });
    script_.at(data_in, [this] { bench_->start_program(1, page(1, 2)); });
    script_.at(data_in + 1, [this] { bench_->channel.suspend(0); });
    run();
    EXPECT_TRUE(bench_->suspended.empty());
    EXPECT_EQ(bench_->finished.front(),
              (FlashBench::Finished{0, data_in + kProgramLatched + kSuspendCommand}));
}

class ChannelRefusesTest : public ChannelSuspendTest {
  protected:
    /// What a die says to `action` while the program of block 2 is suspended.
    std::string while_suspended(const std::function<void()>& action) {
        bench_->on_suspended = [action](std::uint32_t) { action(); };
        script_.at(0, [this] { bench_->start_program(0, page(0, 2)); });
        script_.at(100 * kUs, [this] { bench_->channel.suspend(0); });
        return run_to_error();
    }
};

TEST_F(ChannelRefusesTest, AProgramBesideASuspendedOne) {
    EXPECT_NE(while_suspended([this] {
                  bench_->start_program(0, page(0, 3));
              }).find("a suspended die takes reads alone"),
              std::string::npos);
}

TEST_F(ChannelRefusesTest, AReadOfThePageThatIsBeingProgrammed) {
    EXPECT_NE(while_suspended([this] {
                  bench_->start_read(0, page(0, 2));
              }).find("what is suspended is not read"),
              std::string::npos);
}

TEST_F(ChannelRefusesTest, ASuspendOfAReadBesideASuspendedProgram) {
    EXPECT_NE(while_suspended([this] {
                  bench_->start_read(0, page(0, 1));
                  script_.at(now_ps() + 20 * kUs, [this] { bench_->channel.suspend(0); });
              }).find("a die has one suspended operation"),
              std::string::npos);
}

TEST_F(ChannelRefusesTest, ASuspendOfARead) {
    script_.at(0, [this] { bench_->start_read(0, page(0, 1)); });
    script_.at(10 * kUs, [this] { bench_->channel.suspend(0); });
    EXPECT_NE(run_to_error().find("the part can suspend this operation"), std::string::npos);
}

TEST_F(ChannelRefusesTest, ASuspendOfNothing) {
    script_.at(10 * kUs, [this] { bench_->channel.suspend(0); });
    EXPECT_NE(run_to_error().find("what is suspended is under way"), std::string::npos);
}

TEST_F(ChannelRefusesTest, AResumeOfNothing) {
    script_.at(10 * kUs, [this] { bench_->channel.resume(0); });
    EXPECT_NE(run_to_error().find("what is resumed is suspended"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
