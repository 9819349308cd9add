// A drive with zones, at both fidelities.

#include <gtest/gtest.h>

#include "core/drive/drive_core.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

constexpr std::uint64_t kPage = 2048;

/// Four dies of one plane: zones of 4 x 4 pages.
SsdConfig zoned_drive(const std::vector<std::string>& more) {
    std::vector<std::string> settings{"ftl.scheme=zoned",
                                      "alloc.scheme=stripe-page",
                                      "host.interface=nvme",
                                      "nand.channels=2",
                                      "nand.ways=2",
                                      "nand.dies=1",
                                      "nand.planes=1",
                                      "nand.blocks_per_plane=16",
                                      "nand.pages_per_block=4",
                                      "nand.page_size=2KiB",
                                      "ftl.overprovision=0.0625"};
    settings.insert(settings.end(), more.begin(), more.end());
    return small_drive(settings);
}

constexpr std::uint64_t kZone = 16 * kPage;

HostRequest write(std::uint64_t offset, std::uint64_t bytes) {
    HostRequest request;
    request.offset = offset;
    request.bytes = bytes;
    request.op = RequestOp::kWrite;
    return request;
}
HostRequest append(std::uint64_t zone, std::uint64_t bytes) {
    HostRequest request = write(zone * kZone, bytes);
    request.zone = ZoneAction::kAppend;
    return request;
}
HostRequest ask(std::uint64_t zone, ZoneAction action) {
    HostRequest request;
    request.offset = zone * kZone;
    request.op = RequestOp::kZone;
    request.zone = action;
    return request;
}
HostRequest read(std::uint64_t offset, std::uint64_t bytes) {
    HostRequest request = write(offset, bytes);
    request.op = RequestOp::kRead;
    return request;
}

std::vector<HostRequest> story() {
    std::vector<HostRequest> all;
    for (std::uint64_t i = 0; i < 16; ++i) {
        all.push_back(write(3 * kZone + i * kPage, kPage)); // fills zone 3
    }
    all.push_back(write(3 * kZone, kPage));         // refused: it is full
    all.push_back(write(5 * kZone + kPage, kPage)); // refused: not at the write pointer
    all.push_back(write(5 * kZone, 17 * kPage));    // refused: beyond the zone
    all.push_back(write(5 * kZone, kPage / 2));     // refused: no whole page
    all.push_back(append(5, 4 * kPage));
    all.push_back(append(5, 4 * kPage));
    all.push_back(read(5 * kZone + 7 * kPage, kPage));
    all.push_back(read(5 * kZone + 8 * kPage, kPage)); // zeros
    all.push_back(ask(3, ZoneAction::kReset));
    all.push_back(read(3 * kZone, kPage)); // zeros
    all.push_back(write(3 * kZone, 16 * kPage));
    all.push_back(ask(5, ZoneAction::kFinish));
    all.push_back(append(5, kPage)); // refused: it is full
    all.push_back({0, 0, 0, RequestOp::kFlush});
    return all;
}

void expect_story(const DriveCore& core) {
    const ZoneCounters& zones = core.ftl().zones()->counters();
    EXPECT_EQ(zones.is_full, 2u);
    EXPECT_EQ(zones.invalid_write, 1u);
    EXPECT_EQ(zones.boundary_error, 1u);
    EXPECT_EQ(zones.invalid_field, 1u);
    EXPECT_EQ(zones.appends, 2u);
    EXPECT_EQ(zones.resets, 1u);
    EXPECT_EQ(zones.finishes, 1u);
    EXPECT_EQ(core.ftl().zones()->state(3), ZoneState::kFull);
    EXPECT_EQ(core.ftl().mapped_pages(), 24u);
    EXPECT_EQ(core.ftl().programs(), core.ftl().counters().host_pages);
}

class DriveZonedTest : public SystemcTest, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Buffers, DriveZonedTest,
                         ::testing::Values("buffer.policy=none", "buffer.policy=lru-page",
                                           "buffer.policy=fifo"));

TEST_P(DriveZonedTest, CommandsEndAsTheirZonesSayAtBothFidelities) {
    // In turn, so that each command finds what the one before has left.
    const SsdConfig config = zoned_drive({GetParam(), "host.queue_depth=1"});
    DriveBench::Options options;
    options.closed_loop = true;
    DriveBench bench("bench", config, story(), options);
    run();
    bench.expect_sound();
    expect_story(bench.ssd().core());
    EXPECT_EQ(bench.ssd().buffer_manager().statistics().zero_reads, 2u);
    EXPECT_EQ(bench.answered().size(), story().size());

    UntimedDrive drive(config, build_core(config, nullptr));
    ListSource source(story());
    drive.run(source, 0, nullptr);
    expect_story(drive.core());
    EXPECT_EQ(drive.zero_reads(), 2u);
    EXPECT_GT(drive.check_end_of_run(), 0u);
    for (const RequestOp op : {RequestOp::kRead, RequestOp::kWrite, RequestOp::kZone}) {
        EXPECT_EQ(drive.count(op).bytes,
                  bench.ssd().host().statistics().by_op[static_cast<std::size_t>(op)].bytes);
    }
    // Refused writes move nothing.
    EXPECT_EQ(drive.count(RequestOp::kWrite).bytes, (16 + 8 + 16) * kPage);
    EXPECT_EQ(drive.count(RequestOp::kWrite).requests, 24u);
    EXPECT_EQ(drive.core().ftl().counters().host_pages,
              bench.ssd().core().ftl().counters().host_pages);
}

/// A reset takes an erase of every block that holds pages: dies in parallel.
TEST_F(SystemcTest, AResetOfAZoneTakesAnEraseAndItsCommandsOnTheBus) {
    const SsdConfig config = zoned_drive(
        {"buffer.policy=none", "host.interface=direct", "host.queue_depth=1", "nand.ways=1"});
    std::vector<HostRequest> requests;
    requests.push_back(write(0, 2 * kPage)); // one page on each of two dies, on two channels
    requests.push_back(ask(0, ZoneAction::kReset));
    requests.push_back(ask(0, ZoneAction::kReset)); // it is empty: nothing to do
    DriveBench::Options options;
    options.closed_loop = true;
    DriveBench bench("bench", config, requests, options);
    run();
    bench.expect_sound();
    ASSERT_EQ(bench.answered().size(), 3u);
    const auto time = [&](std::size_t i) {
        return bench.answered()[i].completed - bench.answered()[i].request.arrival;
    };
    const NandTiming& nand = config.nand.timing;
    EXPECT_EQ(time(1), nand.erase_cycles * nand.command_cycle + nand.t_bers);
    EXPECT_EQ(time(2), 0u);
}

} // namespace
} // namespace cavern::testing
