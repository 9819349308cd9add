// The file of a saved drive, and a folder of them: what is refused, and what is kept.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "state/saved_drive.h"
#include "tests/drive/drive_bench.h"
#include "tests/state/state_bytes.h"
#include "tests/support/core_fixtures.h"
#include "tests/support/list_source.h"

namespace cavern::testing {
namespace {

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
    ListSource source(random_requests(mix, drive.core().host_pages() * 2048, 2048));
    drive.run(source, 0, nullptr);
    EXPECT_GT(drive.data()->statistics().sectors_compared, 1000u);
    EXPECT_GT(drive.data()->statistics().sectors_compared,
              drive.data()->statistics().zero_sectors * 2);
}

TEST_F(StateFileTest, APartThatDoesNotSayHowItIsSavedIsRefusedInOneLine) {
    UntimedDrive drive(full_.config, build_core(full_.config, nullptr));
    drive.core().listen(std::make_unique<RecordingLog>());
    DriveSaver saver(file("a.state"), full_);
    EXPECT_THROW(saver.save(drive.core(), drive.array(), nullptr, drive.preconditioned(),
                            StateKind::kPreconditioned),
                 UserError);
    EXPECT_FALSE(std::filesystem::exists(file("a.state")));
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
