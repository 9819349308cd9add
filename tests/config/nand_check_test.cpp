// Which commands of a die work together.

#include "config/nand_check.h"

#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

using NandCheckTest = ConfigFixture;

TEST_F(NandCheckTest, TheCacheRegisterAndSuspendAreRefusedTogether) {
    for (const std::string cache : {"nand.cache_read=true", "nand.cache_program=true"}) {
        for (const std::string suspend : {"nand.program_suspend=true", "nand.erase_suspend=true"}) {
            EXPECT_EQ(error_of("", {cache}), "no error");
            EXPECT_EQ(error_of("", {suspend}), "no error");
            EXPECT_EQ(error_of("", {cache, suspend}),
                      "<command line>:2: cache reads or programs, and suspend, of one die; "
                      "nand.program_suspend and nand.erase_suspend = false, or cache_read and "
                      "cache_program = false");
        }
    }
}

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
