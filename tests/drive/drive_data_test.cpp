// Drives that keep data (data.store), small enough to collect all the time: whatever moved a page,
// a read returns the newest version of each of its sectors, and the bytes that the host wrote.

#include <algorithm>
#include <array>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/ftl/ftl_table.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "tests/drive/drive_cases.h"
#include "tests/drive/reference_host.h"
#include "tests/support/in_another_process.h"
#include "tests/support/list_source.h"
#include "tests/support/nightly.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

using Settings = std::vector<std::string>;

Settings joined(Settings all, const Settings& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// A drive that is full, whose pages are collected for almost every one that is written.
Settings layer_settings(const FtlRow& layer) {
    Settings all =
        joined({"ftl.scheme=" + std::string(layer.name),
                layer.freedom == PlacementFreedom::kPages  ? "alloc.scheme=cwdp"
                : layer.freedom == PlacementFreedom::kNone ? "alloc.scheme=stripe-page"
                                                           : "alloc.scheme=stripe-block",
                layer.name == "page" || layer.name == "fast" ? "ftl.overprovision=0.25"
                                                             : "ftl.overprovision=0.4",
                "ftl.log_blocks=4", "ftl.dftl.cmt=24", "ftl.last.random_logs=3",
                "ftl.superblock.blocks=4", "ftl.subgroup.blocks=4", "precondition.fill=1.0"},
               settings_for(layer));
    return all;
}

struct Group {
    std::string name;
    Settings settings;
};

/// One way at least for each in which a page comes and goes.
std::vector<Group> groups() {
    return {{"WriteThrough", {"buffer.policy=none"}},
            {"Pages", {"buffer.policy=lru-page", "buffer.eviction=cave"}},
            {"Blocks", {"buffer.policy=lru-block", "dram.scheduling=fr-fcfs"}},
            {"Padded", {"buffer.policy=bplru"}},
            {"KeepsReads", {"buffer.policy=cflru", "buffer.cache_reads=true"}},
            {"KeepsFlushed",
             {"buffer.policy=fifo", "buffer.flush_keep=true", "buffer.cache_reads=true"}}};
}

Mix mixed(std::uint64_t seed) {
    Mix mix;
    mix.requests = 1500;
    mix.reads = 30;
    mix.writes = 60;
    mix.trims = 2;
    mix.max_pages = seed % 3 == 0 ? 32 : 6; // of 2 KiB
    mix.fua = 10;
    mix.seed = seed;
    return mix;
}

std::vector<DriveCase> cases() {
    std::vector<DriveCase> all;
    std::uint64_t seed = 3000;
    for (const FtlRow& layer : ftl_table()) {
        if (layer.has_zones) {
            continue; // below
        }
        for (const Group& group : groups()) {
            DriveCase each;
            each.mix = mixed(++seed);
            if (layer.name == "fast") {
                each.mix.max_pages = 4; // long writes in order are merged for next to nothing
            }
            each.name = camel(layer.name) + group.name;
            each.overrides = joined(joined(layer_settings(layer), group.settings),
                                    {seed % 2 == 0 ? "data.store=full" : "data.store=fingerprint"});
            loop_or_gap(each, 300 * kUs);
            all.push_back(each);
        }
    }
    return all;
}

std::vector<HostRequest> requests_of(const DriveCase& each, const SsdConfig& config) {
    return random_requests(each.mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
}

double programs_a_page(const DriveCore& core) {
    return static_cast<double>(core.ftl().programs()) /
           static_cast<double>(core.ftl().counters().host_pages);
}

class DriveDataTest : public SystemcTest, public ::testing::WithParamInterface<DriveCase> {};

TEST_P(DriveDataTest, ReadsReturnWhatWasWrittenLast) {
    const auto bench = make_bench(GetParam());
    run();
    bench->expect_sound();
    EXPECT_GT(bench->ssd().data()->statistics().sectors_compared, 2000u);
    EXPECT_GT(programs_a_page(bench->ssd().core()), 1.5);
}

TEST_P(DriveDataTest, AndWithoutTime) {
    const SsdConfig config = small_drive(GetParam().overrides);
    UntimedDrive drive(config, build_core(config, nullptr));
    ListSource source(requests_of(GetParam(), config));
    drive.run(source, 0, nullptr);
    EXPECT_GT(drive.check_end_of_run(), 0u);
    EXPECT_GT(drive.data()->statistics().sectors_compared, 2000u);
    EXPECT_GT(programs_a_page(drive.core()), 1.5);
}

INSTANTIATE_TEST_SUITE_P(Of, DriveDataTest, ::testing::ValuesIn(few_of(cases())), name_of);
INSTANTIATE_TEST_SUITE_P(SlowOf, DriveDataTest, ::testing::ValuesIn(rest_of(cases())), name_of);

// ---- zones --------------------------------------------------------------------------------------

/// Four zones are written in order, some pages at a time, reset when they are full, and read.
std::vector<HostRequest> zone_requests(const Geometry& geometry) {
    const std::uint64_t pages = std::uint64_t{geometry.pages_per_block} * geometry.planes();
    const std::uint64_t page = geometry.page_bytes;
    Random random(9);
    std::array<std::uint64_t, 4> next{};
    std::vector<HostRequest> all;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const std::uint64_t zone = random.below(next.size());
        HostRequest request;
        request.offset = zone * pages * page;
        if (random.below(2) == 0) {
            request.op = RequestOp::kRead;
            const std::uint64_t sectors = pages * page / 512;
            const std::uint64_t first = random.below(sectors);
            request.offset += first * 512;
            request.bytes = 512 * (1 + random.below(std::min<std::uint64_t>(sectors - first, 40)));
        } else if (next[zone] == pages) {
            request.op = RequestOp::kZone;
            request.zone = ZoneAction::kReset;
            next[zone] = 0;
        } else {
            const std::uint64_t count =
                1 + random.below(std::min<std::uint64_t>(pages - next[zone], 5));
            request.op = RequestOp::kWrite;
            request.zone = random.below(2) == 0 ? ZoneAction::kAppend : ZoneAction::kNone;
            request.offset += request.zone == ZoneAction::kNone ? next[zone] * page : 0;
            request.bytes = count * page;
            next[zone] += count;
        }
        all.push_back(request);
    }
    return all;
}

class ZonesDataTest : public SystemcTest {};

TEST_F(ZonesDataTest, ReadsOfZonesReturnWhatWasWrittenLast) {
    for (const char* policy : {"buffer.policy=none", "buffer.policy=lru-page"}) {
        const SsdConfig config = small_drive(
            {"ftl.scheme=zoned", "alloc.scheme=stripe-page", "host.interface=nvme", policy,
             "ftl.overprovision=0.3", "data.store=full", "data.trim_reads=old"});
        const std::vector<HostRequest> requests = zone_requests(DrivePlan(config).geometry);
        UntimedDrive drive(config, build_core(config, nullptr));
        ListSource source(requests);
        drive.run(source, 0, nullptr);
        EXPECT_GT(drive.check_end_of_run(), 0u);
        EXPECT_GT(drive.core().ftl().zones()->counters().resets, 20u);
        EXPECT_GT(drive.data()->statistics().sectors_compared, 10'000u);
        EXPECT_GT(drive.data()->statistics().zero_sectors, 1000u); // reset, or not written yet
        const std::string timed = in_another_process([&] {
            DriveBench bench("bench", config, requests);
            run();
            bench.expect_sound();
            const DriveData::Statistics& data = bench.ssd().data()->statistics();
            return std::to_string(data.sectors_compared) + " " + std::to_string(data.zero_sectors);
        });
        EXPECT_EQ(timed, std::to_string(drive.data()->statistics().sectors_compared) + " " +
                             std::to_string(drive.data()->statistics().zero_sectors));
    }
}

// ---- bytes of the host --------------------------------------------------------------------------

class HostBytesTest : public SystemcTest, public ::testing::WithParamInterface<DriveCase> {};

/// The drive is empty when the host begins, so that it knows every byte.
std::vector<DriveCase> host_cases() {
    std::vector<DriveCase> all;
    std::uint64_t seed = 3300;
    for (const FtlRow& layer : ftl_table()) {
        for (const Group& group : groups()) {
            if (layer.has_zones || ++seed % 2 == 0) {
                continue;
            }
            DriveCase each;
            each.mix = mixed(seed);
            each.name = camel(layer.name) + group.name;
            each.overrides = joined(joined(layer_settings(layer), group.settings),
                                    {"data.store=full", "precondition.fill=0.0"});
            each.closed_loop = true;
            all.push_back(each);
        }
    }
    const Settings small_units{"nand.page_size=4KiB", "ftl.unit=1KiB", "data.store=full",
                               "ftl.overprovision=0.45"};
    for (const char* more : {"nand.column_change=true", "nand.cache_read=true",
                             "buffer.cache_reads=true", "buffer.policy=none"}) {
        DriveCase each;
        each.mix = mixed(++seed);
        each.name = "Units" + std::to_string(seed);
        each.overrides = joined(small_units, {more});
        all.push_back(each);
    }
    return all;
}

TEST_P(HostBytesTest, AreThoseThatTheHostWroteLast) {
    const SsdConfig config = small_drive(GetParam().overrides);
    const std::vector<HostRequest> requests = requests_of(GetParam(), config);
    ReferenceHost host(requests, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    DriveBench::Options options;
    options.host_data = &host;
    DriveBench bench("bench", config, requests, options);
    run();
    bench.expect_sound();
    EXPECT_EQ(host.taken(), host.bytes_of(RequestOp::kWrite));
    EXPECT_EQ(host.given(), host.bytes_of(RequestOp::kRead));
}

TEST_P(HostBytesTest, AreTheSameWithoutTime) {
    const SsdConfig config = small_drive(GetParam().overrides);
    const std::vector<HostRequest> requests = requests_of(GetParam(), config);
    ReferenceHost host(requests, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    UntimedDrive drive(config, build_core(config, nullptr), nullptr, &host);
    ListSource source(requests);
    drive.run(source, 0, nullptr);
    EXPECT_GT(drive.check_end_of_run(), 0u);
    EXPECT_EQ(host.taken(), host.bytes_of(RequestOp::kWrite));
    EXPECT_EQ(host.given(), host.bytes_of(RequestOp::kRead));
    EXPECT_EQ(host.newer(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Slow, HostBytesTest, ::testing::ValuesIn(host_cases()), name_of);

TEST(ReferenceHostTest, AWrongByteIsFound) {
    static ReferenceHost host({{0, 0, 1024, RequestOp::kWrite}, {0, 0, 1024, RequestOp::kRead}},
                              4096, 2048);
    static std::array<std::byte, 1024> bytes;
    host.take(0, 0, bytes.data(), 1024);
    host.give(1, 0, bytes.data(), 1024);
    bytes[700] ^= std::byte{1};
    EXPECT_FATAL_FAILURE(host.give(1, 0, bytes.data(), 1024), "request 1, LBA 1");
}

// ---- TRIM ---------------------------------------------------------------------------------------

class TrimReadsTest : public SystemcTest {
  protected:
    /// Writes three pages, trims from the middle of the first to that of the third, reads all.
    static std::vector<HostRequest> requests() {
        std::vector<HostRequest> all;
        all.push_back({0, 0, 6144, RequestOp::kWrite});
        all.push_back({0, 0, 0, RequestOp::kFlush});
        all.push_back({0, 1024, 4096, RequestOp::kTrim});
        all.push_back({0, 0, 6144, RequestOp::kRead});
        all.push_back({0, 2560, 512, RequestOp::kWrite});
        all.push_back({0, 0, 6144, RequestOp::kRead});
        return all;
    }
    static void expect_bytes(const Settings& settings, bool trims, std::uint64_t zeros) {
        const SsdConfig config = small_drive(joined({"data.store=full"}, settings));
        ReferenceHost host(requests(), capacity_of(config), 2048, trims);
        DriveBench::Options options;
        options.host_data = &host;
        DriveBench bench("bench", config, requests(), options);
        run();
        bench.expect_sound();
        EXPECT_EQ(host.given(), 2 * 6144u);
        EXPECT_EQ(host.newer(), 0u);
        EXPECT_EQ(bench.ssd().data()->statistics().zero_sectors, zeros);
    }
};

TEST_F(TrimReadsTest, WholePagesReadAsZerosAndPartsAsBefore) {
    expect_bytes({"host.queue_depth=1"}, true, 4 + 3);
}

TEST_F(TrimReadsTest, ADriveThatTakesNoNoticeReadsAsBefore) {
    expect_bytes({"host.queue_depth=1", "data.trim_reads=old"}, false, 0);
}

} // namespace
} // namespace cavern::testing
