// The reserve of a cache in SLC mode, at its least (docs/algorithms.md, SLC-1).

#include <gtest/gtest.h>

#include "core/ftl/slc_cache.h"
#include "tests/core/recovery/cut_fixture.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

std::string why_not(const CutCase& each, double spare) {
    FtlParams params = each.parts.ftl;
    params.overprovision = spare;
    return each.row().why_not(each.parts.geometry, params).value_or("");
}

constexpr double kStep = 0.0005;

/// The least share of spare blocks that is not refused.
double least_spare(const CutCase& each) {
    double spare = kStep;
    while (!why_not(each, spare).empty()) {
        spare += kStep;
    }
    return spare;
}

CutCase drawn_case(std::uint64_t seed) {
    Random random(seed);
    const auto any = [&random](std::initializer_list<std::uint32_t> of) {
        return *(of.begin() + random.below(of.size()));
    };
    CutCase each = small_case("slc-cache");
    each.seed = each.cuts.seed = seed;
    const std::uint32_t channels = any({1, 2, 4});
    const std::uint32_t planes = any({1, 2});
    const std::uint32_t blocks = any({12, 17, 30});
    Geometry geometry = geometry_of(channels, 1, planes, blocks, any({4, 9}));
    geometry.slc_blocks = any({2, 3, 5});
    geometry.blocks_per_plane += geometry.slc_blocks;
    geometry.slc_pages = std::max(geometry.pages_per_block / any({2, 3}), 1u);
    geometry.page_bytes = 4096;
    each.parts.geometry = geometry.in_units(4096 / any({1, 1, 2, 4}));
    each.parts.allocator = any({0, 1}) == 0 ? "cwdp" : "stripe-page";
    each.parts.ftl.gc_pace = any({0, 1}) == 0 ? GcPace::kPaced : GcPace::kBurst;
    const SlcFull when_full = any({0, 1}) == 0 ? SlcFull::kFold : SlcFull::kBypass;
    each.parts.ftl.own = SlcCacheParams{when_full, any({0, 1}) == 0};
    each.parts.ftl.gc_low = 1;
    each.parts.ftl.gc_high = 2;
    each.parts.ftl.overprovision = least_spare(each);
    return each;
}

/// Writes all of the drive, and then what it likes of it: it is full nearly always.
void keep_full(CutDrive& drive, const CutCase& each, int commands) {
    const std::uint64_t pages = drive.core().host_pages();
    const std::uint64_t bytes = each.parts.geometry.page_bytes;
    for (std::uint64_t page = 0; page < pages; ++page) {
        drive.execute({RequestOp::kWrite, false, page * bytes, bytes});
        drive.settle();
    }
    CutLoad load(drive, each.parts.geometry, each.seed);
    for (int trims = 0; commands > 0; --commands) {
        const DeviceCommand command = load.next();
        if (command.op != RequestOp::kTrim || ++trims % 50 == 0) {
            drive.execute(command);
            drive.settle();
        }
    }
}

class SlcRoomTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SlcRoomTest, TheLeastReserveIsEnough) {
    const CutCase each = drawn_case(GetParam());
    EXPECT_NE(why_not(each, each.parts.ftl.overprovision - kStep), "");
    CutDrive drive = make_drive(each);
    play(drive, each, 20);
    keep_full(drive, each, nightly() ? 100'000 : 4'000);
    drive.check();
    EXPECT_EQ(drive.cuts().counters().lost_flushed, 0u);
    EXPECT_GT(drive.core().ftl().counters().gc_pages, 10u);
}

TEST(SlcRoomControlTest, SixBlocksFewerAreNot) {
    for (std::uint64_t seed = 1; seed < 7; ++seed) {
        CutCase each = drawn_case(seed);
        const Geometry& geometry = each.parts.geometry;
        each.parts.ftl.overprovision -= 6.0 / (geometry.blocks_per_plane - geometry.slc_blocks);
        CutDrive drive = make_drive(each);
        drive.start();
        EXPECT_THROW(keep_full(drive, each, 4'000), std::exception) << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Drawn, SlcRoomTest, ::testing::Range<std::uint64_t>(1, 7));
INSTANTIATE_TEST_SUITE_P(Nightly, SlcRoomTest, ::testing::Range<std::uint64_t>(100, 200));

} // namespace
} // namespace cavern::testing
