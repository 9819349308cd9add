
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/config_show.h"
#include "config/drive_list.h"
#include "config/file_names.h"
#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

class CapacityTest : public ConfigFixture {};

TEST_F(CapacityTest, CapacityIsTheRawPagesLessTheirSpareShare) {
    const std::vector<std::string> small{"nand.channels=1",         "nand.ways=1",
                                         "nand.planes=1",           "nand.blocks_per_plane=100",
                                         "nand.pages_per_block=10", "nand.page_size=2KiB",
                                         "ftl.overprovision=0.2"};
    const SsdConfig config = load("", small).config;
    EXPECT_EQ(DrivePlan(config).host_bytes(), 800 * 2048u);
    EXPECT_EQ(capacity_text(config), "1.56 MiB for the host, 1.95 MiB of NAND");
    // Records of TRIMs take a page of 16384 that survive a loss of power.
    std::vector<std::string> cut = small;
    cut.insert(cut.end(), {"power_loss.at=1ms", "power_loss.recovery=oob-scan"});
    EXPECT_EQ(load("", cut).config.host_bytes(), 799 * 2048u);
    // Mapping units of 512 bytes are as many bytes.
    std::vector<std::string> units = small;
    units.emplace_back("ftl.unit=512B");
    EXPECT_EQ(load("", units).config.host_bytes(), 800 * 2048u);
}

TEST_F(CapacityTest, SizesAreShort) {
    EXPECT_EQ(size_text(512.0), "512 B");
    EXPECT_EQ(size_text(std::uint64_t{1} << 30), "1 GiB");
    EXPECT_EQ(size_text((std::uint64_t{3} << 29)), "1.5 GiB");
    EXPECT_EQ(size_text(1e10), "9.31 GiB");
}

TEST_F(CapacityTest, AShownDriveBeginsWithIt) {
    const ResolvedConfig resolved = load("extends = \"cave\"\n");
    const std::string line = "# " + capacity_text(resolved.config) + "\n";
    EXPECT_EQ(config_to_toml(resolved).substr(0, line.size()), line);
    EXPECT_EQ(config_to_toml(resolved, false).find('#'), std::string::npos);
}

TEST_F(CapacityTest, DefaultsOfAnSlcDriveUnderTlcAreNoted) {
    const std::string tlc = "[nand]\npart = \"tlc-16k\"\n";
    const auto notes = [&](const std::string& text) { return notes_on_defaults(load(text)); };
    ASSERT_EQ(notes(tlc).size(), 1u);
    EXPECT_EQ(
        notes(tlc)[0],
        "The NAND has 3 bits a cell, and the drive has defaults of an SLC drive of 2011: "
        "ftl.unit, ftl.gc_pace, buffer.eviction. extends = \"tlc-modern.toml\" gives those of "
        "today.");
    const std::string unit = tlc + "[ftl]\nunit = \"4KiB\"\n";
    EXPECT_NE(notes(unit)[0].find("2011: ftl.gc_pace, buffer.eviction."), std::string::npos);
    // What is given is meant; an SLC drive has its own; what extends another has that one's.
    EXPECT_EQ(notes(unit + "gc_pace = \"burst\"\n[buffer]\neviction = \"single\"\n").size(), 0u);
    EXPECT_EQ(notes("").size(), 0u);
    EXPECT_EQ(notes("extends = \"tlc-nvme\"\n").size(), 0u);
    for (const std::string& name : file_names(kDrives, shipped())) {
        EXPECT_EQ(notes_on_defaults(load_config(name)).size(), 0u) << name;
    }
}

TEST_F(CapacityTest, EveryShippedDriveIsListedWithWhatItIs) {
    const std::string text = drives_text(0);
    for (const std::string& name : file_names(kDrives, shipped())) {
        EXPECT_NE(text.find("\n" + name + " "), std::string::npos) << name;
    }
    std::size_t begin = text.find('\n') + 1;
    for (std::size_t end = text.find('\n', begin); end != std::string::npos;
         begin = end + 1, end = text.find('\n', begin)) {
        // A whole sentence, short enough for a table.
        EXPECT_EQ(text[end - 1], '.') << text.substr(begin, end - begin);
        EXPECT_LT(end - begin, 140u) << text.substr(begin, end - begin);
    }
    const std::string narrow = drives_text(80);
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
        end = narrow.find('\n', at);
        EXPECT_LE(std::min(end, narrow.size()) - at, 80u);
    }
    EXPECT_GT(narrow.size(), text.size());
}

TEST_F(CapacityTest, TwoDrivesDifferInWhatIsListed) {
    const ResolvedConfig cave = load_config("cave");
    const ResolvedConfig conventional = load_config("conventional");
    const std::string text = ConfigDiff(conventional, cave).text();
    EXPECT_NE(text.find("buffer.eviction  \"single\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"block-round-robin\"\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("nand."), std::string::npos) << text;
    EXPECT_EQ(ConfigDiff(cave, cave).text(), "no key differs\n");
    const auto json = nlohmann::json::parse(ConfigDiff(conventional, cave).json());
    EXPECT_EQ(json[0], nlohmann::json({{"key", "name"}, {"a", "conventional"}, {"b", "cave"}}));
}

} // namespace
} // namespace cavern
