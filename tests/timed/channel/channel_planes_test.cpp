// Reads and erases of several planes, and the gaps that ONFI puts between things on the bus: exact
// times by hand.

#include "timed/channel/channel.h"

#include <gtest/gtest.h>

#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"

namespace cavern::testing {
namespace {

constexpr TimePs kCycle = 25 * kNs;
constexpr TimePs kPage = 2112 * 5 * kNs;
constexpr TimePs kTr = 40 * kUs;
constexpr TimePs kTprog = 400 * kUs;
constexpr TimePs kTbers = 3500 * kUs;

class ChannelPlanesTest : public SystemcTest {
  protected:
    ChannelPlanesTest() {
        timing_.t_r = {kTr};
        timing_.t_prog = {kTprog};
        timing_.t_bers = kTbers;
        timing_.bus_byte_fs = 5'000'000;
        timing_.command_cycle = kCycle;
        geometry_.channels = 1;
        geometry_.ways = 2;
        geometry_.planes_per_die = 4;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        geometry_.page_bytes = 2048;
        geometry_.spare_bytes = 64;
    }
    void build() {
        bench_ = std::make_unique<FlashBench>("bench", geometry_, timing_);
        for (std::uint32_t slot = 0; slot < 2; ++slot) {
            for (std::uint32_t plane = 0; plane < 4; ++plane) {
                bench_->array.program(page(slot, plane), kNoLpn);
            }
        }
    }
    /// The first page of a plane.
    [[nodiscard]] Ppn page(std::uint32_t slot, std::uint32_t plane) const {
        return bench_->page(slot, 0, 0, plane);
    }
    void with_gaps() {
        timing_.t_wb = 100 * kNs;
        timing_.t_adl = 150 * kNs;
        timing_.t_ccs = 300 * kNs;
        timing_.t_rhw = 110 * kNs;
        timing_.t_dbsy = 500 * kNs;
    }
    /// All four planes.
    void start(std::uint32_t slot, FlashOpKind kind, std::uint32_t block = 0) {
        std::vector<Ppn> pages;
        for (std::uint32_t plane = 0; plane < 4; ++plane) {
            pages.push_back(bench_->page(slot, block, 0, plane));
        }
        bench_->start(slot, kind, pages);
    }

    NandTiming timing_;
    Geometry geometry_;
    std::unique_ptr<FlashBench> bench_;
    Script script_{"script"};
};

using Finished = std::vector<FlashBench::Finished>;

TEST_F(ChannelPlanesTest, PlanesShareOneTrAndMoveTheirPagesOutOneAfterTheOther) {
    build();
    script_.at(0, [this] { start(0, FlashOpKind::kRead); });
    run();
    const TimePs ready = 4 * 7 * kCycle + kTr;
    const TimePs out = 7 * kCycle + kPage;
    ASSERT_EQ(bench_->pages_out.size(), 3u);
    for (std::uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(bench_->pages_out[i].which, i);
        EXPECT_EQ(bench_->pages_out[i].at, ready + (i + 1) * out);
    }
    EXPECT_EQ(bench_->finished, (Finished{{0, ready + 4 * out}}));
    EXPECT_EQ(bench_->dies[0]->statistics().reads, 4u);
    EXPECT_EQ(bench_->dies[0]->statistics().busy, kTr);
    EXPECT_EQ(bench_->channel.statistics().grants, 5u);
}

// The bus serves the other die between the pages, each phase by itself: both are busy in the array
// at the same time, and the bus is what takes long.
TEST_F(ChannelPlanesTest, TwoDiesShareTheBusPageByPage) {
    build();
    script_.at(0, [this] {
        start(0, FlashOpKind::kRead);
        start(1, FlashOpKind::kRead);
    });
    run();
    const TimePs command = 4 * 7 * kCycle;
    const TimePs out = 7 * kCycle + kPage;
    // The second die is ready one command later; from then on the dies take turns.
    const TimePs ready = command + kTr;
    EXPECT_EQ(bench_->finished, (Finished{{0, ready + 7 * out}, {1, ready + 8 * out}}));
}

TEST_F(ChannelPlanesTest, PlanesAreErasedInOneTbers) {
    build();
    script_.at(0, [this] { start(1, FlashOpKind::kErase); });
    run();
    EXPECT_EQ(bench_->finished, (Finished{{1, 4 * 5 * kCycle + kTbers}}));
    EXPECT_EQ(bench_->dies[1]->statistics().erases, 4u);
    for (std::uint32_t plane = 0; plane < 4; ++plane) {
        EXPECT_FALSE(bench_->array.is_programmed(page(1, plane)));
        EXPECT_TRUE(bench_->array.is_programmed(page(0, plane)));
    }
}

TEST_F(ChannelPlanesTest, GapsAreWhereOnfiHasThem) {
    with_gaps();
    build();
    script_.at(0, [this] { start(0, FlashOpKind::kRead); });
    script_.at(kSecond, [this] { start(0, FlashOpKind::kProgram, 1); });
    script_.at(2 * kSecond, [this] { start(0, FlashOpKind::kErase); });
    script_.at(3 * kSecond, [this] { bench_->start_read(1, page(1, 0)); });
    script_.at(4 * kSecond, [this] { bench_->start_read_of(1, page(1, 0), 2048, true); });
    run();
    const TimePs between = 3 * (100 + 500) * kNs; // tWB and tDBSY, after each plane but the last
    const TimePs read = 4 * 7 * kCycle + between + 100 * kNs + kTr +
                        4 * (7 * kCycle + 300 * kNs + kPage) + 3 * 110 * kNs;
    const TimePs program = 4 * (7 * kCycle + 150 * kNs + kPage) + between + 100 * kNs + kTprog;
    const TimePs erase = 4 * 5 * kCycle + between + 100 * kNs + kTbers;
    const TimePs single = 7 * kCycle + 100 * kNs + kTr + kPage;
    const TimePs column = 4 * kCycle + 300 * kNs + kPage;
    EXPECT_EQ(bench_->finished, (Finished{{0, read},
                                          {0, kSecond + program},
                                          {0, 2 * kSecond + erase},
                                          {1, 3 * kSecond + single},
                                          {1, 4 * kSecond + column}}));
}

// What follows data out on the bus, of whatever die, waits for tRHW.
TEST_F(ChannelPlanesTest, TheBusTurnsRoundAfterDataOut) {
    with_gaps();
    build();
    script_.at(0, [this] { bench_->start_read(0, page(0, 0)); });
    const TimePs out_at = 7 * kCycle + 100 * kNs + kTr;
    script_.at(out_at + 1, [this] { bench_->start_read(1, page(1, 0)); });
    run();
    const TimePs second = out_at + kPage + 110 * kNs;
    EXPECT_EQ(bench_->finished,
              (Finished{{0, out_at + kPage}, {1, second + 7 * kCycle + 100 * kNs + kTr + kPage}}));
}

TEST_F(ChannelPlanesTest, PlanesOfACommandDifferAndItsPagesHaveOneIndex) {
    build();
    script_.at(0, [this] { bench_->start(0, FlashOpKind::kRead, {page(0, 0), page(0, 0)}); });
    EXPECT_NE(run_to_error().find("a command names a plane once"), std::string::npos);
}

TEST_F(ChannelPlanesTest, PagesOfUnequalIndexAreNoMultiPlaneOperation) {
    build();
    script_.at(0, [this] {
        bench_->start(0, FlashOpKind::kRead, {page(0, 0), bench_->page(0, 0, 1, 1)});
    });
    EXPECT_NE(run_to_error().find("the planes of a command work on pages of one index"),
              std::string::npos);
}

} // namespace
} // namespace cavern::testing
