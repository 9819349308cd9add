// What a run leaves where its summary breaks a law.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>

#include "app/result_files.h"
#include "config/config_loader.h"
#include "core/base/error.h"
#include "drive/core_builder.h"
#include "results/fst_writer.h"
#include "results/run_files.h"
#include "results/summary.h"
#include "tests/support/list_source.h"
#include "tests/support/source_dir.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

std::size_t row_of(std::string_view name) {
    const auto& rows = run_files();
    return static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; }) -
        rows.begin());
}

class BrokenLawTest : public SystemcTest {
  protected:
    BrokenLawTest() {
        setenv("CAVERN_CHECK_LAWS", "1", 1); // before the program asks for it the first time
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directory(folder_);
    }
    ~BrokenLawTest() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    /// A run with an RTL arbiter, until its files are committed; `summary` may change before.
    template <typename Change>
    void play(Change change) {
        const ResolvedConfig resolved =
            load_config(source_dir() + "/configs/conventional.toml",
                        {"nand.channels=1", "channel.arbiter=rtl", "precondition.fill=0.01"});
        RunOptions options;
        options.out = path("out");
        for (const char* name : {"requests", "waves", "bus-waves"}) {
            options.files.at(row_of(name)).path = path(name);
        }
        ResultFiles files(options, resolved.config, {});
        ListSource source({HostRequest{0, 0, 2048}});
        SsdProbes taps;
        taps.requests = files.taps().requests.get();
        taps.activity = files.taps().activity.get();
        taps.waves = files.taps().waves;
        auto ssd =
            std::make_unique<Ssd>("ssd", resolved.config, build_core(resolved.config, nullptr),
                                  source, HostInterface::Params{}, taps);
        files.watch(*ssd);
        files.begin_run();
        run();
        files.end_run();
        RunFacts facts;
        facts.identity.input.kind = "trace";
        nlohmann::ordered_json summary = make_summary(*ssd, resolved, facts);
        ssd.reset(); // closes the arbiter's waves
        change(summary);
        files.commit(summary, "");
    }

    [[nodiscard]] std::set<std::string> left() const {
        std::set<std::string> names;
        for (const auto& file : std::filesystem::directory_iterator(folder_)) {
            names.insert(file.path().filename());
        }
        return names;
    }

  private:
    std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                    ("cavern-broken-law-" + std::to_string(getpid()));
};

TEST_F(BrokenLawTest, LeavesWavesThatAreWholeAndNothingElse) {
    const auto one_more = [](auto& summary) {
        summary["host"]["read"]["count"] = summary["host"]["read"]["count"].template get<int>() + 1;
    };
    EXPECT_THROW(play(one_more), ModelError);
    EXPECT_EQ(left(), (std::set<std::string>{"bus-waves", "waves"}));
    for (const char* name : {"bus-waves", "waves"}) {
        EXPECT_NO_THROW(check_fst(path(name), name));
        EXPECT_GT(std::filesystem::file_size(path(name)), 329u) << name; // more than a header
    }
}

/// The control: what is broken above is the law.
TEST_F(BrokenLawTest, OneThatIsKeptLeavesEverything) {
    play([](auto&) {});
    EXPECT_EQ(left(), (std::set<std::string>{"bus-waves", "out", "requests", "waves"}));
}

} // namespace
} // namespace cavern::testing
