// A drive that was saved and loaded goes on as if nothing had happened: any drive that a
// configuration can describe, and any requests, drawn at random.

#include "state/saved_drive.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config_keys.h"
#include "config/config_loader.h"
#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/ssd.h"
#include "drive/untimed_drive.h"
#include "tests/drive/drive_cases.h"
#include "tests/drive/drive_pair.h"
#include "tests/drive/pair_keys.h"
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

// ---- keys ---------------------------------------------------------------------------------------

std::optional<std::string> preconditioned(const std::vector<std::string>& settings) {
    try {
        const ResolvedConfig resolved = small_drive_resolved(settings);
        require_savable(resolved, StateKind::kPreconditioned);
        UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr));
        return bytes_of(drive.core(), drive.array(), false);
    } catch (const UserError&) {
        return std::nullopt;
    }
}

/// Every other value of a key that is said to change nothing does change nothing of a drive before
/// the run; of those that are said to, many do.
class StateKeysTest : public ::testing::TestWithParam<Base> {};

TEST_P(StateKeysTest, WhatIsNoneOfThemChangesNothing) {
    std::vector<std::string> settings = GetParam().settings;
    settings.insert(settings.end(), {"precondition.fill=1", "precondition.overwrite=0.7"});
    ASSERT_NO_THROW((void)small_drive(settings));
    const std::optional<std::string> usual = preconditioned(settings);
    ASSERT_TRUE(usual.has_value());
    std::set<std::string> named;
    for (const auto& pair :
         state_keys(small_drive_resolved(settings), StateKind::kPreconditioned)) {
        named.insert(pair.first);
    }
    Random random(1);
    std::uint32_t tried = 0;
    std::set<std::string> changing;
    for (const ConfigKey& key : config_keys()) {
        std::optional<PairKey> drawn = drawn_without_row(key);
        for (const PairKey& row : pair_keys()) {
            drawn = row.key == key.name ? row : drawn;
        }
        const bool is_before = key.name.rfind("precondition.", 0) == 0 || key.name == "seed";
        if (!drawn || is_before) {
            continue;
        }
        for (int i = named.count(key.name) != 0 ? 1 : 0; i < 2; ++i) {
            std::vector<std::string> other = settings;
            other.insert(other.end(), drawn->with.begin(),
                         drawn->with.begin() + (drawn->with.empty() ? 0 : 1));
            const std::optional<std::string> before =
                drawn->with.empty() ? usual : preconditioned(other);
            other.push_back(draw_setting(*drawn, random));
            const std::optional<std::string> after = preconditioned(other);
            if (!before || !after) {
                continue;
            }
            tried += named.count(key.name) == 0 ? 1 : 0;
            if (*before != *after) {
                changing.insert(key.name);
                EXPECT_TRUE(named.count(key.name) != 0) << other.back();
            }
        }
    }
    RecordProperty("tried", static_cast<int>(tried));
    EXPECT_GT(tried, 100u);
    EXPECT_GT(changing.size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, StateKeysTest,
    ::testing::Values(
        Base{"Page", {}}, Base{"LeastLoaded", {"alloc.scheme=least-loaded"}},
        Base{"Adaptive", {"alloc.scheme=adaptive", "alloc.adaptive.epoch=50"}},
        Base{"Dftl", {"ftl.scheme=dftl", "ftl.dftl.cmt=64"}},
        Base{"Fast", {"ftl.scheme=fast", "alloc.scheme=stripe-block", "ftl.log_blocks=4"}},
        Base{"SlcCache",
             {"ftl.scheme=slc-cache", "nand.slc_blocks=2", R"(nand.t_program=["150us", "250us"])",
              "nand.slc_t_read=20us", "nand.slc_t_program=90us"}}),
    [](const auto& base) { return base.param.name; });

// ---- the file -----------------------------------------------------------------------------------

class StateFileTest : public ::testing::Test {
  protected:
    StateFileTest()
        : folder_(std::filesystem::path(::testing::TempDir()) /
                  ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    ~StateFileTest() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }
    /// A drive that has been filled, in a file.
    std::string saved(const ResolvedConfig& resolved, const char* name = "a.state") {
        UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr));
        DriveSaver saver(file(name), resolved);
        saver.save(drive.core(), drive.array(), drive.data(), drive.preconditioned(),
                   StateKind::kPreconditioned);
        saver.commit();
        return file(name);
    }
    /// The message; empty, and `state` what the drive began with, where there is none.
    static std::string loading(const std::string& path, const ResolvedConfig& resolved,
                               std::string* state = nullptr) {
        SavedDrive beginning(path, resolved);
        try {
            UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr), nullptr,
                               nullptr, &beginning);
            if (state != nullptr) {
                *state = bytes_of(drive.core(), drive.array());
            }
            return {};
        } catch (const UserError& error) {
            return error.what();
        }
    }
    static std::string read(const std::string& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const std::string& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    std::filesystem::path folder_;
    ResolvedConfig large_ = small_drive_resolved(
        {"nand.blocks_per_plane=256", "precondition.fill=1", "precondition.overwrite=10"});
    ResolvedConfig full_ =
        small_drive_resolved({"precondition.fill=1", "precondition.overwrite=2"});
};

TEST_F(StateFileTest, TheSameDriveGivesTheSameBytes) {
    const std::string once = read(saved(full_));
    EXPECT_GT(once.size(), 200u);
    EXPECT_EQ(read(saved(full_, "b.state")), once);
    EXPECT_EQ(loading(file("a.state"), full_), "");
}

/// A bit that no decoder looks at, as there are some, changes nothing.
TEST_F(StateFileTest, DamagedOnesAreRefusedWhereverTheDamageIs) {
    const std::string path = saved(full_);
    const std::string whole = read(path);
    std::string state;
    ASSERT_EQ(loading(path, full_, &state), "");
    std::uint32_t refused = 0;
    std::uint32_t tried = 0;
    for (std::size_t at = 0; at < whole.size(); at += whole.size() / 97 + 1) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        write(path, damaged);
        std::string other;
        const std::string said = loading(path, full_, &other);
        EXPECT_TRUE(said.empty() ? other == state : said.rfind(path + ": ", 0) == 0)
            << "byte " << at << ": " << said;
        ++tried;
        refused += said.empty() ? 0 : 1;
    }
    EXPECT_GT(refused, tried * 9 / 10);
}

TEST_F(StateFileTest, CutOnesAreRefusedWhereverTheyEnd) {
    const std::string path = saved(full_);
    const std::string whole = read(path);
    for (std::size_t size = 0; size < whole.size(); size += whole.size() / 53 + 1) {
        write(path, whole.substr(0, size));
        EXPECT_NE(loading(path, full_), "") << size << " bytes";
    }
    write(path, whole + "more");
    EXPECT_EQ(loading(path, full_), path + ": there is more in it than a drive; save it anew");
    write(path, "");
    EXPECT_EQ(loading(path, full_),
              path + ": it is no saved state of a drive; give a file of --save-state");
}

TEST_F(StateFileTest, OfAnotherDriveItSaysWhichKey) {
    const std::string path = saved(full_);
    EXPECT_EQ(loading(path, small_drive_resolved({"ftl.gc_policy=d-choices"})),
              path + ": it was saved of a drive with ftl.gc_policy = \"greedy\", and this one has "
                     "\"d-choices\"; give the same");
    // What the state does not follow may be otherwise.
    EXPECT_EQ(loading(path, small_drive_resolved({"buffer.size=16KiB", "host.queue_depth=3",
                                                  "nand.t_read=90us", "seed=7"})),
              "");
}

/// Blocks that fail are drawn from the seed, or told by a file: another one is another drive.
TEST_F(StateFileTest, FaultsBelongToTheDrive) {
    const auto faulty = [](const char* seed) {
        return small_drive_resolved(
            {"precondition.fill=0.5", "nand.bad_blocks=0.05", seed, "ftl.overprovision=0.6"});
    };
    const std::string path = saved(faulty("seed=1"));
    EXPECT_EQ(loading(path, faulty("seed=1")), "");
    EXPECT_EQ(loading(path, faulty("seed=2")),
              path + ": it was saved of a drive with seed = 1, and this one has 2; give the same");
    const auto listed = [&] {
        return small_drive_resolved({"precondition.fill=0.5", "ftl.overprovision=0.6",
                                     "nand.fault_list=" + file("faults.csv")});
    };
    write(file("faults.csv"), "factory 3\n");
    const std::string of_list = saved(listed(), "b.state");
    EXPECT_EQ(loading(of_list, listed()), "");
    write(file("faults.csv"), "factory 5\n");
    EXPECT_NE(loading(of_list, listed()).find("the file of nand.fault_list = "), std::string::npos);
}

/// Every read is compared with what was written before the run.
TEST_F(StateFileTest, ADriveThatKeepsDataFindsThem) {
    const ResolvedConfig resolved =
        small_drive_resolved({"data.store=fingerprint", "fidelity=untimed", "precondition.fill=1",
                              "precondition.overwrite=1"});
    SavedDrive beginning(saved(resolved), resolved);
    UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr), nullptr, nullptr,
                       &beginning);
    Mix mix;
    EXPECT_EQ(play(drive, random_requests(mix, drive.core().host_pages() * 2048, 2048)), "");
    EXPECT_GT(drive.data()->statistics().sectors_compared, 1000u);
    EXPECT_GT(drive.data()->statistics().sectors_compared,
              drive.data()->statistics().zero_sectors * 2);
}

TEST_F(StateFileTest, WhatIsNotSavedIsRefusedWithItsKey) {
    const auto refused = [](const std::vector<std::string>& settings) {
        try {
            require_savable(small_drive_resolved(settings), StateKind::kPlayed);
            return std::string();
        } catch (const UserError& error) {
            return std::string(error.what());
        }
    };
    EXPECT_EQ(refused({}), "");
    EXPECT_NE(refused({"data.store=fingerprint", "fidelity=untimed"}).find("keeps data"),
              std::string::npos)
        << refused({"data.store=fingerprint", "fidelity=untimed"});
    EXPECT_NE(refused({"power_loss.cuts=1", "fidelity=untimed"}).find("lose its power"),
              std::string::npos);
}

TEST_F(StateFileTest, ACacheFillsADriveOnce) {
    struct Observer final : RunObserverIf {
        std::uint64_t told = 0;
        bool dispatching(std::uint64_t) override { return true; }
        void preconditioning(std::uint64_t, std::uint64_t) override { ++told; }
    };
    const auto begin = [&](const ResolvedConfig& resolved, Observer& observer,
                           const char* program = "1") {
        CachedDrive beginning(file("cache"), 1 << 30, resolved, program, &observer, 1000);
        UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr), nullptr, nullptr,
                           &beginning);
        return bytes_of(drive.core(), drive.array());
    };
    const ResolvedConfig& resolved = large_;
    Observer first;
    Observer second;
    const std::string filled = begin(resolved, first);
    EXPECT_TRUE(begin(resolved, second) == filled);
    EXPECT_GT(first.told, 3u);
    EXPECT_EQ(second.told, 0u);
    Observer other_program;
    (void)begin(resolved, other_program, "2");
    EXPECT_GT(other_program.told, 3u);
    // A damaged one goes, with a word.
    const std::string path = CachedDrive(file("cache"), 1 << 30, resolved, "1", nullptr).path();
    write(path, read(path).substr(0, 1000));
    EXPECT_THROW((void)begin(resolved, second), UserError);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(StateFileTest, OfACacheThatIsFullTheOldestGoes) {
    std::vector<std::string> paths;
    for (const char* seed : {"seed=1", "seed=2", "seed=3"}) {
        ResolvedConfig resolved = small_drive_resolved({"precondition.fill=1", seed});
        // Room for two.
        const std::uint64_t most =
            paths.empty() ? 1 << 30 : std::filesystem::file_size(paths.front()) * 5 / 2;
        CachedDrive beginning(file("cache"), most, resolved, "1", nullptr, 1);
        UntimedDrive drive(resolved.config, build_core(resolved.config, nullptr), nullptr, nullptr,
                           &beginning);
        paths.push_back(beginning.path());
    }
    EXPECT_FALSE(std::filesystem::exists(paths[0]));
    EXPECT_TRUE(std::filesystem::exists(paths[1]));
    EXPECT_TRUE(std::filesystem::exists(paths[2]));
}

} // namespace
} // namespace cavern::testing
