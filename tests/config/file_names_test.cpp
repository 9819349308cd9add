#include "config/file_names.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// In a folder of its own, with the shipped files of this tree.
class FileNamesTest : public ConfigFixture {
  protected:
    FileNamesTest() : before_(fs::current_path()) {
        ::unsetenv("CAVERN_TRACES");
        write("mine.toml", "seed = 2\n");
        fs::current_path(path(""));
    }
    ~FileNamesTest() override {
        fs::current_path(before_);
        ::unsetenv("CAVERN_TRACES");
    }

    static std::string shipped_at(const std::string& name) {
        return fs::weakly_canonical(fs::path(testing::source_dir()) / name).string();
    }
    static std::string found(const FileKind& kind, const std::string& name) {
        const std::string file = find_file(kind, name);
        return file == name ? name : fs::weakly_canonical(file).string();
    }

  private:
    fs::path before_;
};

TEST_F(FileNamesTest, WhatComesWithTheProgramIsFoundByItsName) {
    for (const char* name : {"cave", "cave.toml", "configs/cave", "configs/cave.toml"}) {
        EXPECT_EQ(found(kDrives, name), shipped_at("configs/cave.toml")) << name;
    }
    for (const char* name : {"random-write", "traces/workloads/random-write.toml"}) {
        EXPECT_EQ(found(kWorkloads, name), shipped_at("traces/workloads/random-write.toml"))
            << name;
    }
    for (const char* name : {"tpcc-136ms", "tpcc-136ms.csv.xz", "traces/tpcc-136ms.csv.xz"}) {
        EXPECT_EQ(found(kTraces, name), shipped_at("traces/tpcc-136ms.csv.xz")) << name;
    }
    // Another folder is meant as it is said.
    for (const char* name :
         {"other", "", "..", "-", "nand/cave.toml", "/cave.toml", "../cave.toml", "random-write"}) {
        EXPECT_EQ(found(kDrives, name), name);
    }
}

TEST_F(FileNamesTest, OnesOwnGoesFirst) {
    fs::create_directory("cave"); // a folder is no drive
    EXPECT_EQ(found(kDrives, "cave"), shipped_at("configs/cave.toml"));
    write("cave.toml", "seed = 2\n");
    EXPECT_EQ(found(kDrives, "cave.toml"), "cave.toml");
    write("more/tpcc-136ms.csv.xz", "");
    ::setenv("CAVERN_TRACES", path("more").c_str(), 1);
    EXPECT_EQ(found(kTraces, "tpcc-136ms.csv.xz"), path("more/tpcc-136ms.csv.xz").string());
    write("tpcc-136ms.csv.xz", "");
    EXPECT_EQ(found(kTraces, "tpcc-136ms.csv.xz"), "tpcc-136ms.csv.xz");
    write("more/own.toml", "");
    EXPECT_EQ(found(kDrives, "own.toml"), "own.toml");
}

TEST_F(FileNamesTest, ADriveExtendsAnotherByItsName) {
    const ResolvedConfig drive = load("extends = \"tlc-nvme\"\n");
    EXPECT_EQ(text_of(drive.config, "host.interface"), "nvme");
    // Beside the file goes first.
    write("tlc-nvme.toml", "host.interface = \"direct\"\n");
    EXPECT_EQ(text_of(load("extends = \"tlc-nvme.toml\"\n").config, "host.interface"), "direct");
}

TEST_F(FileNamesTest, WhatIsMeantIsSaid) {
    const auto error = [](const FileKind& kind, const std::string& name) {
        try {
            return require_file(kind, name);
        } catch (const UserError& problem) {
            return std::string(problem.what());
        }
    };
    const std::string drives =
        "give the path of a readable TOML file, or a name that \"cavern config drives\" lists";
    EXPECT_EQ(error(kDrives, "cvae"), "cvae:1: no such file; did you mean \"cave\"? " + drives);
    EXPECT_EQ(
        error(kDrives, "tlc"),
        "tlc:1: no such file; did you mean \"small-tlc\", \"steady-tlc\" or \"tlc-modern\"? " +
            drives);
    for (const char* far : {"nothing-like-it", "bare", "elsewhere/cvae.toml"}) {
        EXPECT_EQ(error(kDrives, far), std::string(far) + ":1: no such file; " + drives);
    }
    EXPECT_EQ(error(kTraces, "tpc-136ms"),
              "tpc-136ms:1: no such file; did you mean \"tpcc-136ms\"? give the path of a readable "
              "trace");
    const std::string all = error(kTraces, "x.csv");
    EXPECT_EQ(all.rfind("x.csv:1: no such file; give the path of a readable trace, or one of those "
                        "that come with Cavern: oltp-mssql-51min, ",
                        0),
              0u)
        << all;
    EXPECT_EQ(error(kDrives, "mine.toml"), "mine.toml");
    EXPECT_EQ(error(kTraces, "-"), "-");
}

} // namespace
} // namespace cavern
