// A drive that was saved and loaded goes on as if nothing had happened: any drive that a
// configuration can describe, and any requests, drawn at random.

#include "state/saved_drive.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/ssd.h"
#include "drive/untimed_drive.h"
#include "tests/drive/drive_cases.h"
#include "tests/drive/drive_pair.h"
#include "tests/state/state_bytes.h"
#include "tests/support/list_source.h"
#include "tests/support/nightly.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

/// How the run ended: empty, or with the user's error.
std::string play(UntimedDrive& drive, const std::vector<HostRequest>& requests) {
    ListSource source(requests);
    try {
        drive.run(source, 0, nullptr, drive.config().host.queue_depth);
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

/// Plays the requests, with the drive saved and loaded after half of them and without. Whether
/// there was a half to compare.
bool goes_on(const DrivePlan& plan, const std::vector<HostRequest>& all) {
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::optional<UntimedDrive> drive;
    try {
        drive.emplace(plan, build_core(plan, nullptr));
    } catch (const UserError&) {
        return false; // worn out before the run
    }
    if (!play(*drive, {all.begin(), half}).empty()) {
        return false;
    }
    drive->core().reset_counters();
    const std::string saved = bytes_of(drive->core(), drive->array());
    BeginningOfBytes beginning(saved);
    UntimedDrive loaded(plan, build_core(plan, nullptr), nullptr, nullptr, &beginning);
    EXPECT_TRUE(beginning.at_end);
    EXPECT_TRUE(bytes_of(loaded.core(), loaded.array()) == saved) << "as it was loaded";

    const std::vector<HostRequest> rest(half, all.end());
    EXPECT_EQ(play(*drive, rest), play(loaded, rest));
    EXPECT_TRUE(bytes_of(loaded.core(), loaded.array()) == bytes_of(drive->core(), drive->array()))
        << "at the end";
    EXPECT_FALSE(bytes_of(loaded.core(), loaded.array()) == saved) << "it has done nothing";
    EXPECT_GT(loaded.check_end_of_run(), 0u);
    return true;
}

class SavedDrivesTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SavedDrivesTest, GoOnAsIfTheyHadNotBeenSaved) {
    const std::uint32_t pairs = nightly() ? 200 : 50;
    std::uint32_t compared = 0;
    for (std::uint32_t i = 0; i < pairs; ++i) {
        const DrivePair pair = draw_pair(std::uint64_t{GetParam()} * pairs + i + 1, 400);
        SCOPED_TRACE(describe(pair));
        const ResolvedConfig resolved = small_drive_resolved(pair.overrides);
        if (is_savable(resolved, StateKind::kPlayed)) {
            compared += goes_on(resolved.config, requests_of(pair, resolved.config)) ? 1 : 0;
        }
    }
    RecordProperty("compared", static_cast<int>(compared));
    EXPECT_GT(compared, pairs / 6);
}

std::string number_of(const ::testing::TestParamInfo<std::uint32_t>& test) {
    return std::to_string(test.param);
}

INSTANTIATE_TEST_SUITE_P(Drawn, SavedDrivesTest, ::testing::Range(0u, 4u), number_of);
INSTANTIATE_TEST_SUITE_P(Nightly, SavedDrivesTest, ::testing::Range(10u, 20u), number_of);

struct Base {
    std::string name;
    std::vector<std::string> settings;
};

/// Parts whose state changes after many requests only.
class LongSavedTest : public ::testing::TestWithParam<Base> {};

TEST_P(LongSavedTest, GoesOnAsIfItHadNotBeenSaved) {
    const DrivePlan plan(small_drive(GetParam().settings));
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Mix mix;
        mix.seed = seed;
        mix.requests = 3000;
        mix.max_pages = seed % 2 == 0 ? 12 : 3;
        EXPECT_TRUE(goes_on(plan, random_requests(mix, capacity_of(plan), 2048)));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Drives, LongSavedTest,
    ::testing::Values(
        Base{"DividedDftl",
             {"ftl.scheme=dftl", "buffer.size=4KiB", "ftl.partition=adaptive", "ftl.dftl.cmt=0",
              "ftl.map_cache=4KiB", "ftl.adaptive.interval=10", "ftl.adaptive.tune_scale=20",
              "ftl.adaptive.ratio=0.05"}},
        Base{"DividedFast",
             {"ftl.scheme=fast", "alloc.scheme=stripe-block", "buffer.size=4KiB",
              "ftl.partition=adaptive", "ftl.adaptive.interval=10", "ftl.log_blocks=64",
              "nand.blocks_per_plane=64"}},
        Base{"McSplit", {"ftl.scheme=mcsplit", "alloc.scheme=stripe-page", "ftl.log_blocks=4"}},
        Base{"Last", {"ftl.scheme=last", "alloc.scheme=stripe-block", "ftl.last.random_logs=3"}},
        Base{"Superblock",
             {"ftl.scheme=superblock", "alloc.scheme=stripe-block", "ftl.superblock.blocks=4"}},
        Base{"SubGroup",
             {"ftl.scheme=subgroup", "alloc.scheme=stripe-page", "ftl.subgroup.blocks=4",
              "ftl.log_blocks=8"}},
        Base{"Bast",
             {"ftl.scheme=bast", "alloc.scheme=block-round-robin",
              "alloc.block-round-robin.mode=gather", "nand.blocks_per_plane=32"}},
        Base{"Multichip", {"buffer.policy=multichip", "buffer.eviction=cave"}},
        Base{"Arc", {"buffer.policy=arc", "buffer.cache_reads=true"}},
        Base{"Cflru", {"buffer.policy=cflru", "buffer.cache_reads=true", "buffer.cflru.window=12"}},
        Base{"Ref", {"buffer.policy=ref"}},
        Base{"CcfLru", {"buffer.policy=ccf-lru", "buffer.cache_reads=true"}},
        Base{"StaticWear", {"ftl.wear_leveling=static", "ftl.wear_threshold=2"}},
        Base{"CostBenefit", {"ftl.gc_policy=cost-benefit"}}),
    [](const auto& base) { return base.param.name; });

class SavedInTimeTest : public SystemcTest,
                        public ::testing::WithParamInterface<std::vector<std::string>> {};

/// What is in the write buffer, and where it is in the SDRAM, is found again.
TEST_P(SavedInTimeTest, ADriveGoesOnInTime) {
    const DrivePlan plan(small_drive(GetParam()));
    Mix mix;
    mix.seed = 3;
    mix.fua = 10;
    UntimedDrive whole(plan, build_core(plan, nullptr));
    UntimedDrive first(plan, build_core(plan, nullptr));
    const std::vector<HostRequest> all = random_requests(
        mix, whole.core().host_pages() * plan.geometry.page_bytes, plan.nand.geometry.page_bytes);
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    ASSERT_EQ(play(whole, all), "");
    ASSERT_EQ(play(first, {all.begin(), half}), "");
    BeginningOfBytes beginning(bytes_of(first.core(), first.array()));
    SsdProbes probes;
    probes.beginning = &beginning;
    HostInterface::Params host;
    host.closed_loop = true;
    ListSource rest({half, all.end()});
    Ssd ssd("ssd", plan, build_core(plan, nullptr), rest, host, probes);
    if (const WriteBuffer* buffer = std::as_const(ssd).core().buffer()) {
        EXPECT_GT(buffer->used(), 4u); // there is something to find
        EXPECT_EQ(ssd.buffer_manager().frames_in_use(), buffer->used());
    }
    run();
    EXPECT_GT(ssd.check_end_of_run(), 100u);
    EXPECT_EQ(ssd.core().ftl().counters().host_pages, whole.core().ftl().counters().host_pages);
    EXPECT_EQ(ssd.core().ftl().counters().erases, whole.core().ftl().counters().erases);
    EXPECT_EQ(ssd.core().buffer_counters().write_hits, whole.core().buffer_counters().write_hits);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, SavedInTimeTest,
    ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"buffer.policy=none"},
                      std::vector<std::string>{"ftl.unit=512B"},
                      std::vector<std::string>{"nand.copy_back=true", "nand.copy_back_limit=2"},
                      std::vector<std::string>{"ftl.scheme=dftl", "ftl.dftl.cmt=64"}));

} // namespace
} // namespace cavern::testing
