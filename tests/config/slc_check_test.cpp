#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

class SlcCheckTest : public ConfigFixture {
  protected:
    /// A drive of TLC with these lines of [nand] and [ftl].
    [[nodiscard]] std::string error_with(const std::string& nand, const std::string& ftl) const {
        return error_of("[nand]\npart = \"tlc-16k\"\n" + nand + "\n[ftl]\n" + ftl + "\n");
    }
};

TEST_F(SlcCheckTest, BlocksInSlcModeAndTheLayerNeedEachOther) {
    EXPECT_EQ(error_with("slc_blocks = 8", "scheme = \"slc-cache\""), "no error");
    EXPECT_EQ(
        error_with("slc_blocks = 8", "scheme = \"page\""),
        "drive.toml:5: nand.slc_blocks = 8 with ftl.scheme = page; ftl.scheme = slc-cache, or "
        "nand.slc_blocks = 0");
    EXPECT_EQ(error_with("", "scheme = \"slc-cache\""),
              "drive.toml:5: nand.slc_blocks = 0 with ftl.scheme = slc-cache: one is filled while "
              "another is emptied; at least 2");
    EXPECT_EQ(
        error_with("slc_blocks = 912", "scheme = \"slc-cache\""),
        "drive.toml:5: nand.slc_blocks = 912 of 912 blocks per plane leaves none of all bits; "
        "fewer");
}

TEST_F(SlcCheckTest, ThePartHasSeveralBitsInACellAndTimesOfOne) {
    EXPECT_EQ(error_of("[nand]\nslc_blocks = 8\n[ftl]\nscheme = \"slc-cache\"\n"),
              "drive.toml:2: blocks in SLC mode of a part of 1 page type; a part of several page "
              "types, as many as bits in a cell");
    EXPECT_EQ(error_with("slc_blocks = 8\nslc_t_program = \"0us\"", "scheme = \"slc-cache\""),
              "drive.toml:4: nand.slc_blocks of a part without times of SLC mode; nand.slc_t_read "
              "and nand.slc_t_program above 0");
}

TEST_F(SlcCheckTest, ABlockInSlcModeHasAShareOfThePages) {
    const ResolvedConfig drive =
        load("[nand]\npart = \"tlc-16k\"\nslc_blocks = 8\n[ftl]\nscheme = \"slc-cache\"\n");
    EXPECT_EQ(drive.config.geometry.slc_pages, 1152u / 3);
    const ResolvedConfig units =
        load("[nand]\npart = \"tlc-16k\"\nslc_blocks = 8\n[ftl]\nscheme = \"slc-cache\"\nunit = "
             "\"4KiB\"\n");
    EXPECT_EQ(units.config.geometry.slc_pages, 4 * 1152u / 3);
}

TEST_F(SlcCheckTest, WhatTheLayerHasNotIsRefused) {
    const std::string ftl = "scheme = \"slc-cache\"\n";
    EXPECT_EQ(error_with("slc_blocks = 8", ftl + "wear_leveling = \"static\""),
              "drive.toml:6: ftl.wear_leveling, hot_cold or refresh with ftl.scheme = slc-cache; "
              "ftl.scheme = "
              "page");
    EXPECT_EQ(error_with("slc_blocks = 8", ftl + "gc_placement = \"die\""), "no error");
}

} // namespace
} // namespace cavern
