// Copies within a die: exact times by hand, alone and with two dies on the bus, and what a die
// refuses.

#include "timed/channel/channel.h"

#include <gtest/gtest.h>

#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCommand = 7 * 25 * kNs;
constexpr TimePs kPage = 2112 * 5 * kNs;
constexpr TimePs kTwb = 100 * kNs;
constexpr TimePs kTr = 40 * kUs;
constexpr TimePs kTprog = 400 * kUs;
constexpr TimePs kCopy = kCommand + kTwb + kTr + kCommand + kTwb + kTprog;

using Finished = std::vector<FlashBench::Finished>;

/// Two dies of two planes; block 0 of each is programmed.
class ChannelCopyBackTest : public SystemcTest {
  protected:
    ChannelCopyBackTest() {
        NandTiming timing;
        timing.t_r = {kTr};
        timing.t_prog = {kTprog};
        timing.t_bers = 3500 * kUs;
        timing.bus_byte_fs = 5'000'000;
        timing.command_cycle = 25 * kNs;
        timing.t_wb = kTwb;
        timing.t_adl = 150 * kNs; // there are no data that it would come before
        timing.copy_back = {true, 2};
        Geometry geometry;
        geometry.channels = 1;
        geometry.ways = 2;
        geometry.planes_per_die = 2;
        geometry.blocks_per_plane = 4;
        geometry.pages_per_block = 4;
        geometry.page_bytes = 2048;
        geometry.spare_bytes = 64;
        bench_ = std::make_unique<FlashBench>("bench", geometry, timing);
        bench_->array.count_copies();
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            bench_->array.program(page(slot, 0), kNoLpn);
        }
    }
    [[nodiscard]] Ppn page(std::uint32_t slot, std::uint32_t block, std::uint32_t plane = 0) const {
        return bench_->page(slot, block, 0, plane);
    }
    void start_copy(std::uint32_t slot, Ppn from, Ppn to) {
        NandExtension& command = bench_->channel.command(slot);
        bench_->fill(command, FlashOpKind::kProgram, {to});
        command.what = NandCommand::kCopyBack;
        command.source = from;
        bench_->channel.start(slot);
    }

    std::unique_ptr<FlashBench> bench_;
    Script script_{"script"};
};

TEST_F(ChannelCopyBackTest, ACopyTakesAReadAndAProgramWithoutTheirData) {
    script_.at(0, [this] { start_copy(0, page(0, 0), page(0, 1)); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kCopy}}));
    EXPECT_TRUE(bench_->array.is_programmed(page(0, 1)));
    EXPECT_EQ(bench_->channel.statistics().busy, 2 * kCommand);
    EXPECT_EQ(bench_->dies[0]->statistics().reads, 1u);
    EXPECT_EQ(bench_->dies[0]->statistics().programs, 1u);
    EXPECT_EQ(bench_->dies[0]->statistics().copy_backs, 1u);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTwb + kTr + kTwb + kTprog);
    EXPECT_EQ(bench_->activity.bus_phases,
              (std::vector<Interval>{
                  {0, "copy read", 0, kCommand},
                  {0, "copy program", kCommand + kTwb + kTr, 2 * kCommand + kTwb + kTr}}));
}

TEST_F(ChannelCopyBackTest, CopiesOfTwoDiesAreACommandApart) {
    script_.at(0, [this] {
        start_copy(0, page(0, 0), page(0, 1));
        start_copy(1, page(1, 0), page(1, 1));
    });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{0, kCopy}, {1, kCommand + kCopy}}));
}

// The other die's data are on the bus when the source has been read: the program waits for them.
TEST_F(ChannelCopyBackTest, TheProgramOfACopyWaitsForTheBusAsAnyCommandDoes) {
    const TimePs read = kCommand + kTwb + kTr;
    script_.at(0, [this] { bench_->start_read(1, page(1, 0)); });
    script_.at(1, [this] { start_copy(0, page(0, 0), page(0, 1)); });
    run();
    static_assert(kPage > kCommand);
    const TimePs out = read + kPage;
    EXPECT_EQ(bench_->finished, (Finished{{1, out}, {0, out + kCommand + kTwb + kTprog}}));
}

TEST_F(ChannelCopyBackTest, DataAreCopiedAgainAsOftenAsAllowed) {
    const std::vector<std::uint32_t> blocks{0, 1, 2, 3};
    std::uint32_t done = 0;
    bench_->on_finished = [&](std::uint32_t) {
        if (++done < 3) {
            start_copy(0, page(0, blocks[done]), page(0, blocks[done + 1]));
        }
    };
    script_.at(0, [this] { start_copy(0, page(0, 0), page(0, 1)); });
    EXPECT_NE(run_to_error().find("data copied in the die as often as allowed pass the controller"),
              std::string::npos);
    EXPECT_EQ(done, 2u);
    EXPECT_EQ(bench_->array.copies_in_die(page(0, 2)), 2u);
}

TEST_F(ChannelCopyBackTest, AProgramOfTheControllerBeginsAnew) {
    std::uint32_t done = 0;
    bench_->on_finished = [&](std::uint32_t) {
        if (++done == 1) {
            bench_->array.erase(bench_->geometry.block(PlaneId{0}, 1));
            bench_->start_program(0, page(0, 1));
        }
    };
    script_.at(0, [this] { start_copy(0, page(0, 0), page(0, 1)); });
    run();
    EXPECT_EQ(bench_->array.copies_in_die(page(0, 1)), 0u);
}

TEST_F(ChannelCopyBackTest, ACopyToAnotherPlaneIsRefused) {
    script_.at(0, [this] { start_copy(0, page(0, 0), page(0, 1, 1)); });
    EXPECT_NE(run_to_error().find("a copy-back stays in its plane"), std::string::npos);
}

// The source is in the page register, and another program than that of the copy has the bus next.
TEST_F(ChannelCopyBackTest, AnotherProgramThanThatOfTheCopyIsRefused) {
    const TimePs out = kCommand + kTwb + kTr + kPage; // of the other die, which the copy waits for
    script_.at(0, [this] { bench_->start_read(1, page(1, 0)); });
    script_.at(1, [this] { start_copy(0, page(0, 0), page(0, 1)); });
    script_.at(out - 1, [this] { bench_->channel.command(0).what = NandCommand::kProgram; });
    EXPECT_NE(run_to_error().find("a page read to be copied in the die is programmed"),
              std::string::npos);
}

TEST_F(ChannelCopyBackTest, ACopyOfWhatIsNotInFlashIsRefused) {
    script_.at(0, [this] { start_copy(0, page(0, 2), page(0, 1)); });
    EXPECT_NE(run_to_error().find("is read but was never programmed"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
