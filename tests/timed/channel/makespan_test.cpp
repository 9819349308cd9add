// The flash scheduler, a channel and a die take as long for a batch as the mini-schedule of
// core/drive/execution_time.h says, without command cycles: both group alike.
#include "core/drive/execution_time.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/support/systemc_test.h"
#include "tests/timed/channel/flash_bench.h"
#include "tests/timed/channel/flash_scheduler_fixture.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kPlanes = 4;
constexpr std::uint32_t kPages = 8;
constexpr TimePs kTransfer = 2112 * 30 * kNs;
constexpr TimePs kProgram = 200 * kUs;

class MakespanTest : public SystemcTest {
  protected:
    MakespanTest() {
        geometry_.channels = 1;
        geometry_.ways = 1;
        geometry_.planes_per_die = kPlanes;
        geometry_.blocks_per_plane = 256;
        geometry_.pages_per_block = kPages;
        geometry_.page_bytes = 2048;
        geometry_.spare_bytes = 64;
        NandTiming timing;
        timing.t_r = {25 * kUs};
        timing.t_prog = {kProgram};
        timing.t_bers = 1500 * kUs;
        timing.bus_byte_fs = 30'000'000;
        timing.command_cycle = 0;
        bench_ = std::make_unique<FlashBench>("bench", geometry_, timing);
        scheduler_ = std::make_unique<FlashScheduler>(
            geometry_, FlashScheduler::Params{Discipline::kReadFirst, true, false, 64}, client_,
            bench_->clock);
        scheduler_->queues().connect(ChannelId{0}, bench_->channel);
        bench_->on_finished = [this](std::uint32_t die) {
            scheduler_->operation_finished(DieId{die});
        };
    }

    FlashOp program(std::uint32_t plane, std::uint32_t block, std::uint32_t index) const {
        return {FlashOpKind::kProgram, Origin::kHost, bench_->page(0, block, index, plane)};
    }
    FlashOp erase(std::uint32_t plane, std::uint32_t block) const {
        return {FlashOpKind::kErase, Origin::kGc, bench_->page(0, block, 0, plane)};
    }
    TimePs timed(const FlashOpList& batch) {
        const TimePs start = now_ps();
        scheduler_->queues().submit(batch, std::vector<std::uint32_t>(batch.size()));
        while (scheduler_->outstanding() > 0) {
            pass(10 * kUs);
        }
        return bench_->finished.back().at - start;
    }
    TimePs counted(const FlashOpList& batch, std::uint32_t max_group = kPlanes) const {
        ExecutionTime time(geometry_, {{25 * kUs}, {kProgram}, 1500 * kUs, kTransfer, max_group});
        time.add(batch);
        return time.total();
    }

    Geometry geometry_;
    ManualClient client_;
    std::unique_ptr<FlashBench> bench_;
    std::unique_ptr<FlashScheduler> scheduler_;
};

// Pages of the host and copies alternate, each kind with a block of its own per plane.
TEST_F(MakespanTest, AGroupOfTheWindowTakesTheSameTimeInBoth) {
    FlashOpList streams;
    for (std::uint32_t plane = 0; plane < kPlanes; ++plane) {
        streams.push_back(program(plane, 0, 0));
        streams.push_back(program(plane, 1, 0));
        streams.back().origin = Origin::kGc; // without a read: the controller's own data
        streams.push_back(program(plane, 0, 1));
    }
    const TimePs total = 12 * kTransfer + 3 * kProgram;
    EXPECT_EQ(counted(streams), total);
    EXPECT_EQ(timed(streams), total);
    EXPECT_GT(counted(streams, 1), total); // the control: the measure without groups
}

// Several blocks of each plane are written at once, in any order, and others are erased.
TEST_F(MakespanTest, RandomBatchesTakeTheSameTimeInBoth) {
    Random random(7);
    std::uint64_t grouped = 0;
    for (std::uint32_t round = 0; round < 60; ++round) {
        const std::uint32_t first = 4 * round; // blocks nobody has touched
        std::vector<std::uint32_t> next(std::size_t{3} * kPlanes);
        FlashOpList batch;
        for (std::uint64_t left = 2 + random.below(60); left > 0; --left) {
            const auto plane = static_cast<std::uint32_t>(random.below(kPlanes));
            const auto stream = static_cast<std::uint32_t>(random.below(3));
            std::uint32_t& index = next[stream * kPlanes + plane];
            if (random.below(20) == 0) {
                batch.push_back(erase(plane, first + 3));
            } else if (index < kPages) {
                batch.push_back(program(plane, first + stream, index++));
            }
        }
        ASSERT_EQ(timed(batch), counted(batch)) << round;
        grouped += counted(batch) < counted(batch, 1) ? 1 : 0;
    }
    EXPECT_GT(grouped, 50u);
}

} // namespace
} // namespace cavern::testing
