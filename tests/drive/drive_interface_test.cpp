// Latencies of a drive whose bus has the times of an ONFI timing mode, against formulas.

#include <gtest/gtest.h>

#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

constexpr TimePs kWb = 100 * kNs;
constexpr TimePs kAdl = 400 * kNs;
constexpr TimePs kRhw = 100 * kNs;

struct Bus {
    std::string interface;
    TimePs byte; ///< ps
    TimePs cycle;

    [[nodiscard]] TimePs command() const { return 7 * cycle; }
    [[nodiscard]] TimePs page() const { return 2112 * byte; }
};

const Bus kSdr4{"sdr", 25 * kNs, 25 * kNs};
const Bus kNvDdr4{"nv-ddr", 6 * kNs, 45 * kNs};
const Bus kNvDdr24{"nv-ddr2", 5 * kNs, 25 * kNs};

class DriveInterfaceTest : public SystemcTest {
  protected:
    std::vector<TimePs> play(const Bus& bus, std::vector<std::string> settings,
                             const std::vector<HostRequest>& requests) {
        settings.insert(settings.begin(),
                        {"dram.model=ideal", "alloc.scheme=cwdp", "nand.timing_mode=4",
                         "nand.interface=" + bus.interface});
        bench_ = std::make_unique<DriveBench>("bench", small_drive(settings), requests);
        run();
        bench_->expect_sound();
        std::vector<TimePs> all(requests.size());
        for (const Answered& each : bench_->answered()) {
            all[each.id] = each.completed - each.request.arrival;
        }
        return all;
    }
    static HostRequest page(RequestOp op, std::uint64_t lpn) {
        return {0, lpn * kPageBytes, kPageBytes, op};
    }

    std::unique_ptr<DriveBench> bench_;
};

TEST_F(DriveInterfaceTest, AReadInSdrMode4TakesItsCyclesGapsAndBytes) {
    const auto latency = play(kSdr4, {"host.queue_depth=1", "precondition.fill=1.0"},
                              {page(RequestOp::kRead, 1), page(RequestOp::kRead, 2)});
    EXPECT_EQ(latency[0], kSdr4.command() + kWb + kTr + kSdr4.page() + kLink);
    EXPECT_NE(latency[0], kCommand + kTr + kPage + kLink); // of the part itself
}

TEST_F(DriveInterfaceTest, AProgramInNvDdrMode4TakesItsCyclesGapsAndBytes) {
    const auto latency =
        play(kNvDdr4, {"host.queue_depth=1", "buffer.policy=none"}, {page(RequestOp::kWrite, 1)});
    EXPECT_EQ(latency[0], kLink + kNvDdr4.command() + kAdl + kNvDdr4.page() + kWb + kTprog);
}

TEST_F(DriveInterfaceTest, AProgramInNvDdr2Mode4TakesItsCyclesGapsAndBytes) {
    const auto latency =
        play(kNvDdr24, {"host.queue_depth=1", "buffer.policy=none"}, {page(RequestOp::kWrite, 1)});
    EXPECT_EQ(latency[0], kLink + kNvDdr24.command() + kAdl + kNvDdr24.page() + kWb + kTprog);
    EXPECT_NE(kNvDdr24.command() + kNvDdr24.page(), kNvDdr4.command() + kNvDdr4.page());
}

/// A byte of NV-DDR3 mode 11 takes 937.5 ps: the page is rounded once.
TEST_F(DriveInterfaceTest, AReadInNvDdr3Mode11CountsHalfPicoseconds) {
    const auto latency =
        play({"nv-ddr3", 0, 25 * kNs},
             {"host.queue_depth=1", "precondition.fill=1.0", "nand.timing_mode=11"},
             {page(RequestOp::kRead, 1)});
    EXPECT_EQ(latency[0], 7 * 25 * kNs + kWb + kTr + 2112 * 9375 / 10 + kLink);
}

/// Two dies of one channel: the second command follows the first, and its data wait until the bus
/// has turned round after those of the first.
TEST_F(DriveInterfaceTest, TwoReadsOnABusInNvDdrMode4AreATurnRoundApart) {
    const auto latency = play(kNvDdr4,
                              {"nand.channels=1", "host.interface=direct", "host.bandwidth=100GB/s",
                               "precondition.fill=1.0"},
                              {page(RequestOp::kRead, 0), page(RequestOp::kRead, 1)});
    const TimePs link = transfer_time(kPageBytes, 100'000'000'000);
    const TimePs first = kNvDdr4.command() + kWb + kTr + kNvDdr4.page();
    EXPECT_EQ(latency[0], first + link);
    EXPECT_EQ(latency[1], first + kRhw + kNvDdr4.page() + link);
}

} // namespace
} // namespace cavern::testing
