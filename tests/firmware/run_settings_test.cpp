#include "firmware/lookup/host/run_settings.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "firmware/lookup/host/play.h"

namespace cavern::lookup {
namespace {

class RunSettingsTest : public testing::Test {
  protected:
    RunSettingsTest() : folder_(testing::TempDir() + "/run_settings") {
        std::filesystem::create_directories(folder_);
    }
    std::string file(const std::string& name, const std::string& text) const {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path) << text;
        return path;
    }
    static std::string refused(const RunSources& sources) {
        try {
            (void)read_settings(sources);
        } catch (const UserError& error) {
            return error.what();
        }
        return "";
    }

  private:
    std::string folder_;
};

TEST_F(RunSettingsTest, WhatIsWrittenIsReadBack) {
    const std::string config = file("cache.toml", "look_up = \"BT\"\norder = 7\n");
    const std::string workload = file("workload.toml", "turns = 3\n");
    const RunSettings settings = read_settings({config, workload, {"groups=8", "look_up=ML"}});
    EXPECT_STREQ(kLookUps[settings.session.look_up]->name, "ML");
    EXPECT_EQ(settings.session.order, 7);
    EXPECT_EQ(settings.session.turns, 3);
    EXPECT_EQ(settings.session.groups, 8);
    const std::string again = file("again.toml", "");
    RunSources sources{again, "", {}};
    std::istringstream lines(settings_toml(settings));
    for (std::string line; std::getline(lines, line);) {
        sources.overrides.push_back(line);
    }
    EXPECT_EQ(settings_toml(read_settings(sources)), settings_toml(settings));
}

TEST_F(RunSettingsTest, MistakesNameFileAndLine) {
    const std::string good = file("good.toml", "groups = 8\n");
    const auto told = [&](const std::string& text) {
        return refused({file("bad.toml", text), "", {}});
    };
    EXPECT_NE(told("groups = 8\ngrups = 4\n").find("bad.toml:2: unknown key \"grups\""),
              std::string::npos);
    EXPECT_NE(told("\nlook_up = \"XX\"\n").find("bad.toml:2: look_up"), std::string::npos);
    EXPECT_NE(told("groups = -1\n").find("bad.toml:1: groups"), std::string::npos);
    EXPECT_NE(told("groups = \n").find("bad.toml:1: "), std::string::npos);
    EXPECT_NE(told("groups = 128\n").find("127"), std::string::npos);
    EXPECT_NE(told("played_on = \"moon\"\n").find("host, iss, rtl"), std::string::npos);
    EXPECT_NE(told("cache_bytes = 1000\n").find("powers of two"), std::string::npos);
    EXPECT_NE(refused({good, "", {"grups=4"}}).find("<command line>:1: unknown key"),
              std::string::npos);
    EXPECT_NE(refused({good + ".not", "", {}}), "");
    EXPECT_EQ(refused({good, "", {}}), "");
}

TEST_F(RunSettingsTest, TheTraceHasEveryRecordOnceAndOverwritesTwice) {
    session_settings settings = session_defaults();
    settings.turns = 3;
    const std::string path = file("trace.csv", "");
    write_trace(settings, path);
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "time_us,op,offset,size");
    int reads = 0, writes = 0;
    while (std::getline(in, line)) {
        (line.find(",R,") != std::string::npos ? reads : writes) += 1;
    }
    EXPECT_EQ(reads, 3 * 12);
    EXPECT_EQ(writes, 3 * 12);
}

TEST_F(RunSettingsTest, MemoryIsThatOfTheProcessor) {
    session_settings settings = session_defaults();
    session_result result{};
    result.tree_nodes = 10;
    const auto bytes = [&](const char* name) {
        for (std::uint32_t i = 0; i < kLookUpCount; ++i) {
            if (std::string(kLookUps[i]->name) == name) {
                settings.look_up = i;
            }
        }
        const LookUpMemory memory = memory_of(settings, result);
        return memory.frames + memory.heads + memory.tree;
    };
    EXPECT_EQ(bytes("SG"), 16384 * 12 + 8);
    EXPECT_EQ(bytes("DX"), bytes("SG"));
    EXPECT_EQ(bytes("LM"), 16384 * 12 + 127 * 8);
    EXPECT_EQ(bytes("BT"), 16384 * 12 + 8 + 10 * 40);
}

} // namespace
} // namespace cavern::lookup
