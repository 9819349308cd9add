// Which commands of a die work together.

#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

using NandCheckTest = ConfigFixture;

TEST_F(NandCheckTest, TheCacheRegisterIsFilledAndEmptiedWhileTheArrayWorks) {
    const std::vector<std::string> read{R"(nand.t_read=["50us", "20us"])", "nand.cache_read=true"};
    const auto with = [](std::vector<std::string> settings, const std::string& more) {
        settings.push_back(more);
        return settings;
    };
    EXPECT_EQ(error_of("", with(read, "nand.t_rcbsy=20us")), "no error");
    EXPECT_EQ(error_of("", with(read, "nand.t_rcbsy=21us")),
              "<command line>:3: nand.t_rcbsy = 21us, and a read takes the array 20us; "
              "nand.t_rcbsy at most nand.t_read");
    EXPECT_EQ(error_of("", {"nand.t_read=20us", "nand.t_rcbsy=21us"}), "no error");
    const std::vector<std::string> program{"nand.t_program=200us", "nand.cache_program=true"};
    EXPECT_EQ(error_of("", with(program, "nand.t_cbsy=200us")), "no error");
    EXPECT_EQ(error_of("", with(program, "nand.t_cbsy=201us")),
              "<command line>:3: nand.t_cbsy = 201us, and a program takes the array 200us; "
              "nand.t_cbsy at most nand.t_program");
}

TEST_F(NandCheckTest, ACopyBackIsOfOneWholePage) {
    EXPECT_EQ(error_of("", {"nand.planes=1", "nand.copy_back=true"}), "no error");
    EXPECT_EQ(error_of("", {"nand.planes=2", "nand.multi_plane=false", "nand.copy_back=true"}),
              "no error");
    EXPECT_EQ(error_of("", {"nand.planes=2", "nand.multi_plane=true", "nand.copy_back=true"}),
              "<command line>:3: nand.copy_back and nand.multi_plane: a copy-back is of one plane; "
              "nand.multi_plane = false, or nand.copy_back = false");
    EXPECT_EQ(error_of("", {"nand.planes=1", "nand.copy_back=true", "ftl.unit=512B"}),
              "<command line>:3: nand.copy_back and an ftl.unit below a page: a copy-back is of a "
              "whole page; ftl.unit = page, or nand.copy_back = false");
    for (const std::string key : {"program_suspend", "erase_suspend", "cache_program"}) {
        EXPECT_EQ(error_of("", {"nand.planes=1", "nand.copy_back=true", "nand." + key + "=true"}),
                  "<command line>:3: nand.copy_back, and suspend or cache programs, of one die; "
                  "nand.program_suspend, erase_suspend and cache_program = false, or "
                  "nand.copy_back = false");
    }
}

TEST_F(NandCheckTest, AWordLineHasAPageOfEachType) {
    const std::string three = R"(nand.t_program=["1ms", "2ms", "3ms"])";
    const std::vector<std::string> block{three, "nand.pages_per_block=96"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), block.begin(), block.end());
        return more;
    };
    EXPECT_EQ(error_of("", with({"nand.one_shot=true"})), "no error");
    EXPECT_EQ(error_of("", {"nand.t_program=1ms", "nand.one_shot=true"}),
              "<command line>:2: nand.one_shot of a part of 1 times to read and 1 to program; as "
              "many as pages in a word line, 2 at least; or nand.one_shot = false");
    EXPECT_EQ(
        error_of("", with({R"(nand.t_read=["1us", "2us"])", "nand.one_shot=true"})),
        "<command line>:4: nand.one_shot of a part of 2 times to read and 3 to program; as many as "
        "pages in a word line, 2 at least; or nand.one_shot = false");
}

TEST_F(NandCheckTest, NotEverythingGoesWithWordLinesInOneShot) {
    const std::vector<std::string> part{R"(nand.t_read=["1us", "2us"])"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), part.begin(), part.end());
        return more;
    };
    for (const std::string scheme : {"dftl", "superblock", "fast", "bast"}) {
        EXPECT_EQ(error_of("", with({"ftl.scheme=" + scheme, "nand.one_shot=true"})),
                  "<command line>:3: nand.one_shot with ftl.scheme = " + scheme +
                      ", which programs pages one by one; ftl.scheme = page or slc-cache, or "
                      "nand.one_shot = false");
    }
    EXPECT_EQ(error_of("", with({"nand.planes=1", "nand.copy_back=true", "nand.one_shot=true"})),
              "<command line>:4: nand.one_shot and nand.copy_back, which is of a single page; "
              "nand.copy_back = false, or nand.one_shot = false");
    EXPECT_EQ(error_of("", with({"nand.one_shot=true", "dram.copy_pages=1"})),
              "<command line>:3: dram.copy_pages = 1 and word lines of 2 pages, which wait there "
              "for each other; 0, or 2 at least");
    EXPECT_EQ(error_of("", with({"nand.one_shot=true", "ftl.hot_cold=true"})),
              "<command line>:3: ftl.hot_cold with nand.one_shot; one of them");
    EXPECT_EQ(error_of("", with({"nand.one_shot=true", "ftl.gc_shared_frontier=true"})),
              "<command line>:3: ftl.gc_shared_frontier with nand.one_shot; one of them");
    EXPECT_EQ(error_of("", with({"nand.one_shot=true", "nand.bad_blocks=0.01"})),
              "<command line>:3: bad blocks or failures with nand.one_shot; nand.one_shot = false");
    EXPECT_EQ(
        error_of("", with({"host.interface=nvme", "ftl.scheme=zoned", "nand.one_shot=true"})),
        "<command line>:4: nand.one_shot with ftl.scheme = zoned, which programs pages one by "
        "one; ftl.scheme = page or slc-cache, or nand.one_shot = false");
    EXPECT_EQ(
        error_of("", with({"host.interface=nvme", "nand.one_shot=true", "host.fdp.handles=2"})),
        "<command line>:4: host.fdp.handles with nand.one_shot; one of them");
    EXPECT_EQ(
        error_of("", with({"nand.page_size=64KiB", "ftl.unit=2KiB", "nand.one_shot=true"})),
        "<command line>:4: nand.one_shot of 64 mapping units; a larger ftl.unit: 32 in a word "
        "line at most");
    EXPECT_EQ(
        error_of("", with({"nand.one_shot=true", "buffer.policy=none", "buffer.size=2KiB"})),
        "<command line>:4: buffer.size = 2KiB and buffer.policy = none on NAND pages of 2KiB; "
        "2 NAND pages at least: those of a word line wait there for each other");
}

TEST_F(NandCheckTest, WordLinesInOneShotGoWithSuspendCacheAndPlanes) {
    for (const std::string key : {"program_suspend", "cache_program", "multi_plane"}) {
        EXPECT_EQ(error_of("", {R"(nand.t_read=["1us", "2us"])", "nand.one_shot=true",
                                "nand." + key + "=true"}),
                  "no error");
    }
}

TEST_F(NandCheckTest, TheCacheRegisterGoesWithSuspend) {
    for (const std::string cache : {"cache_read", "cache_program"}) {
        for (const std::string suspend : {"program_suspend", "erase_suspend"}) {
            EXPECT_EQ(error_of("", {"nand." + cache + "=true", "nand." + suspend + "=true"}),
                      "no error");
        }
    }
}

TEST_F(NandCheckTest, WhatIsPolledRunsOneOperationAtATime) {
    EXPECT_EQ(error_of("", {"nand.planes=1", "nand.ready=poll"}), "no error");
    for (const std::string key :
         {"program_suspend", "erase_suspend", "cache_read", "cache_program", "copy_back"}) {
        EXPECT_EQ(error_of("", {"nand.planes=1", "nand.ready=pin", "nand." + key + "=true"}),
                  "no error");
        EXPECT_EQ(error_of("", {"nand.planes=1", "nand.ready=poll", "nand." + key + "=true"}),
                  "<command line>:3: nand.ready = poll, and suspend, the cache register or "
                  "copy-back of one die; nand.ready = pin, or program_suspend, erase_suspend, "
                  "cache_read, cache_program and copy_back = false");
    }
    EXPECT_EQ(error_of("", {"nand.planes=1", "nand.reset=true", "nand.copy_back=true"}),
              "no error");
}

} // namespace
} // namespace cavern
