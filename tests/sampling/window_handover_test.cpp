#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drive/core_builder.h"
#include "drive/ssd.h"
#include "drive/untimed_drive.h"
#include "sampling/buffer_level.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern {
namespace {

using testing::ListSource;
using testing::Mix;
using testing::random_requests;
using testing::small_drive;

std::vector<HostRequest> drawn(const DriveCore& core, const DrivePlan& plan, std::uint64_t seed) {
    Mix mix;
    mix.seed = seed;
    mix.fua = 10;
    return random_requests(mix, core.host_pages() * plan.geometry.page_bytes,
                           plan.nand.geometry.page_bytes);
}

std::vector<std::uint64_t> counts_of(const DriveCore& core) {
    const FtlCounters& ftl = core.ftl().counters();
    const BufferCounters buffer = core.buffer_counters();
    return {ftl.host_pages,      ftl.gc_pages,         ftl.merge_pages,     ftl.erases,
            ftl.gc_runs,         buffer.read_hits,     buffer.read_misses,  buffer.write_hits,
            buffer.write_misses, buffer.evicted_pages, buffer.dropped_pages};
}

struct Drive {
    std::string name;
    std::vector<std::string> settings;
};

class WindowHandoverTest : public testing::SystemcTest,
                           public ::testing::WithParamInterface<Drive> {};

/// A drive that plays the first half without time and the second in time decides what one does
/// that has no time at all, and holds together at its end.
TEST_P(WindowHandoverTest, ADriveGoesOnInTime) {
    const DrivePlan plan(small_drive(GetParam().settings));
    UntimedDrive whole(plan, build_core(plan, nullptr));
    UntimedDrive before(plan, build_core(plan, nullptr));
    const std::vector<HostRequest> requests = drawn(whole.core(), plan, 3);
    const auto half = requests.begin() + static_cast<std::ptrdiff_t>(requests.size() / 2);
    ListSource all(requests);
    ListSource first({requests.begin(), half});
    whole.run(all, 0, nullptr);
    before.run(first, 0, nullptr);
    if (before.core().buffer() != nullptr) {
        EXPECT_GT(before.core().buffer()->used(), 4u); // there is something to take over
    }

    ListSource second({half, requests.end()});
    HostInterface::Params host;
    host.closed_loop = true;
    auto flash = std::make_unique<SsdFlash>(SsdFlash{before.take_array(), nullptr});
    Ssd ssd("ssd", plan, before.take_core(), second, host, {}, std::move(flash));
    run();
    EXPECT_GT(ssd.check_end_of_run(), 100u);
    EXPECT_EQ(ssd.host().completed(), requests.size() - requests.size() / 2);
    EXPECT_EQ(counts_of(ssd.core()), counts_of(whole.core()));
}

INSTANTIATE_TEST_SUITE_P(
    Drives, WindowHandoverTest,
    ::testing::Values(
        Drive{"Pages", {}}, Drive{"Through", {"buffer.policy=none"}},
        Drive{"Blocks", {"buffer.policy=lru-block", "buffer.eviction=cave"}},
        Drive{"Reads", {"buffer.cache_reads=true"}}, Drive{"Sectors", {"ftl.unit=512B"}},
        Drive{"Units", {"ftl.unit=1KiB"}}, Drive{"Dftl", {"ftl.scheme=dftl", "ftl.dftl.cmt=64"}},
        Drive{"OneShot", {R"(nand.t_program=["150us", "250us"])", "nand.one_shot=true"}},
        Drive{"Fast", {"ftl.scheme=fast", "alloc.scheme=stripe-block", "ftl.log_blocks=4"}}),
    [](const auto& drive) { return drive.param.name; });

TEST(BufferLevelTest, PagesStayUntilThereAreAsManyAsInTime) {
    const DrivePlan plan(small_drive({"buffer.eviction=linear-threshold", "buffer.size=64KiB"}));
    UntimedDrive drive(plan, build_core(plan, nullptr));
    ASSERT_TRUE(BufferLevel::matters(drive.core()));
    const std::uint32_t page = plan.nand.geometry.page_bytes;
    std::uint64_t next = 0;
    const auto write = [&](std::uint64_t pages) {
        std::vector<HostRequest> requests;
        for (std::uint64_t i = 0; i < pages; ++i) {
            requests.push_back({0, next++ % 200 * page, page, RequestOp::kWrite});
        }
        ListSource source(std::move(requests));
        drive.run(source, 0, nullptr);
        return drive.core().buffer()->used();
    };
    const std::uint32_t frames = drive.core().buffer()->frames();
    const std::uint32_t without_time = write(100);
    ASSERT_LT(without_time, frames);
    {
        BufferLevel level(drive.core(), frames - 2);
        EXPECT_EQ(write(100), frames - 2);
        level.release();
    }
    EXPECT_EQ(drive.core().buffer()->capacity(), frames);
    EXPECT_EQ(write(100), without_time);
    EXPECT_GT(drive.check_end_of_run(), 100u);
    // Never fewer than there are.
    BufferLevel level(drive.core(), 1);
    EXPECT_EQ(drive.core().buffer()->used(), without_time);
    level.release();
}

TEST(BufferLevelTest, OfABufferThatIsFullWithoutTimeTooItDoesNotMatter) {
    for (const char* setting : {"buffer.eviction=single", "buffer.policy=none"}) {
        const DrivePlan plan(small_drive({setting}));
        EXPECT_FALSE(BufferLevel::matters(*build_core(plan, nullptr)));
    }
}

} // namespace
} // namespace cavern
