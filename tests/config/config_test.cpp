#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/config_show.h"
#include "tests/config/config_fixture.h"
#include "tests/support/source_dir.h"

namespace cavern {
namespace {

using ConfigTest = ConfigFixture;
using Names = std::vector<std::string>;

std::vector<std::filesystem::path> shipped_drives(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> drives;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".toml") {
            drives.push_back(entry.path());
        }
    }
    std::sort(drives.begin(), drives.end());
    return drives;
}

const Setting& setting(const ResolvedConfig& resolved, const std::string& name) {
    return resolved.settings.at(find_config_key(name).value()).value();
}

/// Number of the first line that begins so, 0 if none does.
std::size_t line_of(const std::filesystem::path& file, const std::string& start) {
    std::ifstream stream(file);
    std::string line;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
        if (line.rfind(start, 0) == 0) {
            return number;
        }
    }
    return 0;
}

TEST_F(ConfigTest, EveryShippedDriveLoads) {
    const auto drives = shipped_drives(shipped());
    ASSERT_GE(drives.size(), 5u);
    for (const auto& drive : drives) {
        EXPECT_NO_THROW((void)load_config(drive)) << drive;
    }
}

TEST_F(ConfigTest, EveryShippedPartIsUsable) {
    std::size_t parts = 0;
    for (const std::string section : {"nand", "dram"}) {
        for (const auto& part : shipped_drives(shipped() / section)) {
            const auto name = part.stem().string();
            const auto resolved = load("", {section + ".part=" + name});
            EXPECT_EQ(setting(resolved, section + ".part").value, ConfigValue{name});
            ++parts;
        }
    }
    EXPECT_GE(parts, 4u);
}

TEST_F(ConfigTest, ResolvedTextLoadsBackToTheSameWithoutAnyOtherFile) {
    const auto nowhere = path("no-parts-here");
    for (const auto& drive : shipped_drives(shipped())) {
        const ResolvedConfig first = load_config(drive);
        for (const bool origins : {true, false}) {
            const auto copy = write("copy.toml", config_to_toml(first, origins));
            const ResolvedConfig second = load_config(copy, {}, nowhere);
            EXPECT_EQ(differences(first.config, second.config), Names{}) << drive;
            EXPECT_EQ(config_to_toml(second, false), config_to_toml(first, false)) << drive;
        }
    }
}

TEST_F(ConfigTest, TheComparisonOfResolvedTextsSeesAChangedValue) {
    const ResolvedConfig first = load("");
    std::string text = config_to_toml(first, false);
    const auto at = text.find("t_rcd = 11");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 10, "t_rcd = 12");
    const ResolvedConfig second = load_config(write("copy.toml", text), {}, path("nowhere"));
    EXPECT_EQ(differences(first.config, second.config), Names{"dram.t_rcd"});
}

TEST_F(ConfigTest, AnEmptyFileIsTheDriveOfTheCavePaper) {
    const SsdConfig c = load("").config;
    EXPECT_EQ(c.name, "drive");
    EXPECT_EQ(text_of(c, "host.interface"), "sata");
    EXPECT_EQ(c.host.generation, 2u);
    EXPECT_EQ(c.host.queue_depth, 32u);
    EXPECT_EQ(c.dram.part, "ddr3-1600");
    EXPECT_EQ(c.dram.timing.t_ck, 1250u);
    EXPECT_EQ(c.buffer.bytes, 16 * kMiB);
    EXPECT_EQ(text_of(c, "buffer.policy"), "lru-page");
    EXPECT_EQ(text_of(c, "buffer.eviction"), "single");
    EXPECT_EQ(text_of(c, "buffer.cave.block"), "all");
    EXPECT_EQ(text_of(c, "alloc.scheme"), "block-round-robin");
    EXPECT_EQ(c.nand.geometry.dies(), 32u);
    EXPECT_EQ(c.nand.geometry.raw_bytes(), 32 * kGiB);
    EXPECT_EQ(c.nand.geometry.page_bytes, 2048u);
    EXPECT_EQ(c.nand.timing.t_r, std::vector<TimePs>{25 * kUs});
    EXPECT_EQ(c.nand.timing.t_prog, std::vector<TimePs>{200 * kUs});
    EXPECT_EQ(c.nand.timing.t_bers, 1500 * kUs);
    // CAVE, Table 1: 63.37 us a page; 2112 bytes at 30 ns.
    EXPECT_EQ(c.nand.timing.data_time(2048 + 64), 63'360 * kNs);
    EXPECT_FALSE(c.nand.strict_order);
}

TEST_F(ConfigTest, TheReferenceDriveHasTheTimesOfTheCompare) {
    const SsdConfig c = load_config(shipped() / "reference-4k.toml").config;
    EXPECT_EQ(c.nand.geometry.raw_bytes(), 4 * kGiB);
    EXPECT_EQ(c.nand.timing.data_time(4096), 20'480 * kNs);
    EXPECT_NEAR(static_cast<double>(7 * c.nand.timing.command_cycle), 300e3, 3e3);
    EXPECT_EQ(c.buffer.policy, nullptr);
    EXPECT_EQ(c.dram.model, SdramModel::kIdeal);
    EXPECT_EQ(c.host.bandwidth, 4'000'000'000u);
}

TEST_F(ConfigTest, TheTwoDrivesOfTheDemoDifferInEvictionAndAllocationOnly) {
    const SsdConfig a = load_config(shipped() / "conventional.toml").config;
    const SsdConfig b = load_config(shipped() / "cave.toml").config;
    EXPECT_EQ(differences(a, b), (Names{"name", "buffer.eviction", "alloc.scheme"}));
}

TEST_F(ConfigTest, ABusRateIsKeptToTheFemtosecond) {
    const SsdConfig c = load("", {"nand.bus_rate=2400MT/s"}).config;
    EXPECT_EQ(c.nand.timing.bus_byte_fs, 416'667u);
    EXPECT_EQ(load("", {"nand.bus_cycle=25ns"}).config.nand.timing.bus_byte_fs, 25'000'000u);
}

TEST_F(ConfigTest, LaterLayersOverrideEarlierOnes) {
    write("deep/base.toml", "seed = 2\n[buffer]\nsize = \"1MiB\"\nread_touch = true\n[nand]\n"
                            "t_erase = \"1ms\"\nways = 2\n");
    write("middle.toml", "extends = \"deep/base.toml\"\n[buffer]\nsize = \"2MiB\"\n");
    const auto top = write("top.toml", "extends = \"middle.toml\"\nseed = 3\n\n[nand]\nways = 3\n");
    const ResolvedConfig r = load_config(top, {"nand.ways=4", "seed=7", "seed=8"}, shipped());

    const auto expect = [&](const std::string& key, Layer layer, const std::string& file,
                            std::size_t line) {
        const SettingOrigin& origin = setting(r, key).origin;
        EXPECT_EQ(origin.layer, layer) << key;
        EXPECT_EQ(origin.file, file) << key;
        EXPECT_EQ(origin.line, line) << key;
    };
    expect("dram.size", Layer::kDefault, top.string(), 1);
    expect("nand.t_program", Layer::kPart, (shipped() / "nand/slc-k9xxg08uxa.toml").string(),
           line_of(shipped() / "nand/slc-k9xxg08uxa.toml", "t_program = "));
    expect("nand.t_erase", Layer::kFile, path("deep/base.toml").string(), 6);
    expect("buffer.read_touch", Layer::kFile, path("deep/base.toml").string(), 4);
    expect("buffer.size", Layer::kFile, path("middle.toml").string(), 3);
    expect("nand.ways", Layer::kCommandLine, "<command line>", 1);
    expect("seed", Layer::kCommandLine, "<command line>", 3);
    EXPECT_EQ(r.config.seed, 8u);
    EXPECT_EQ(r.config.nand.geometry.ways, 4u);
    EXPECT_EQ(r.config.nand.timing.t_bers, kMs);
    EXPECT_EQ(r.config.buffer.bytes, 2 * kMiB);
}

TEST_F(ConfigTest, ABusRateOfALaterLayerReplacesTheBusCycleOfThePart) {
    const ResolvedConfig r = load("[nand]\nbus_rate = \"200MT/s\"\n");
    EXPECT_EQ(r.config.nand.timing.bus_byte_fs, 5'000'000u);
    EXPECT_FALSE(r.settings.at(find_config_key("nand.bus_cycle").value()).has_value());
    const ResolvedConfig s = load("[nand]\nbus_rate = \"200MT/s\"\n", {"nand.bus_cycle=30ns"});
    EXPECT_EQ(s.config.nand.timing.bus_byte_fs, 30'000'000u);
}

TEST_F(ConfigTest, APartBesideTheFileThatNamesItComesBeforeTheInstalledOne) {
    std::ifstream installed(shipped() / "nand/slc-k9xxg08uxa.toml");
    std::string text((std::istreambuf_iterator<char>(installed)), {});
    const auto at = text.find("t_erase = \"1500us\"");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 18, "t_erase = \"1700us\"");
    write("base/nand/slc-k9xxg08uxa.toml", text);
    write("base/base.toml", "[nand]\npart = \"slc-k9xxg08uxa\"\n");
    EXPECT_EQ(load("extends = \"base/base.toml\"\n").config.nand.timing.t_bers, 1700 * kUs);
    EXPECT_EQ(load("").config.nand.timing.t_bers, 1500 * kUs);
}

TEST_F(ConfigTest, OverridesAreTomlValuesOrBareWords) {
    const SsdConfig c = load("", {"buffer.policy=lru-block", "buffer.size=\"8MiB\"",
                                  "nand.t_read=[\"25us\", \"50us\"]", "buffer.eviction=[\"cave\"]",
                                  "ftl.overprovision=0.25", "channel.gate_clock=false",
                                  "workload.device=1", " seed = 0x10 ", "name = a drive"})
                            .config;
    EXPECT_EQ(text_of(c, "buffer.policy"), "lru-block");
    EXPECT_EQ(c.buffer.bytes, 8 * kMiB);
    EXPECT_EQ(c.nand.timing.t_r, (std::vector<TimePs>{25 * kUs, 50 * kUs}));
    EXPECT_EQ(text_of(c, "buffer.eviction"), "cave");
    EXPECT_DOUBLE_EQ(c.ftl.params.overprovision, 0.25);
    EXPECT_FALSE(c.channel.gate_clock);
    EXPECT_EQ(c.workload.device, "1");
    EXPECT_EQ(load("").config.workload.device, ""); // "all" is no device
    EXPECT_EQ(c.seed, 16u);
    EXPECT_EQ(c.name, "a drive");
}

TEST_F(ConfigTest, ShownValuesAreJsonToo) {
    const ResolvedConfig r = load("name = \"a \\\"quoted\\\" \\\\ name\\tof a drive\"\n",
                                  {"nand.t_read=[\"25us\", \"50us\"]"});
    nlohmann::json json;
    for (const auto& [name, text] : config_values(r)) {
        json[name] = nlohmann::json::parse(text);
    }
    EXPECT_EQ(json["name"], "a \"quoted\" \\ name\tof a drive");
    EXPECT_EQ(json["nand.t_read"], nlohmann::json({"25us", "50us"}));
    EXPECT_EQ(json["seed"], 1);
    EXPECT_EQ(json["workload.speedup"], 1.0);
    EXPECT_TRUE(json["workload.speedup"].is_number_float());
    const ResolvedConfig again = load_config(write("copy.toml", config_to_toml(r)), {}, path("no"));
    EXPECT_EQ(again.config.name, r.config.name);
}

TEST_F(ConfigTest, ShownOriginsNameTheLayerOfEachValue) {
    const std::string text = config_to_toml(load("seed = 5\n", {"nand.ways=2"}));
    const auto line_with = [&](const std::string& start) {
        const auto at = text.find("\n" + start) + 1;
        return text.substr(at, text.find('\n', at) - at);
    };
    EXPECT_NE(line_with("seed = 5").find("# " + path("drive.toml").string() + ":1"),
              std::string::npos);
    EXPECT_NE(line_with("ways = 2").find("# --set"), std::string::npos);
    EXPECT_NE(line_with("channels = 8").find("# default"), std::string::npos);
    EXPECT_NE(line_with("t_erase = \"1500us\"").find("# part nand/slc-k9xxg08uxa.toml:"),
              std::string::npos);
    EXPECT_EQ(config_to_toml(load(""), false).find('#'), std::string::npos);
}

TEST_F(ConfigTest, TheExamplesOfTheConfigurationPageLoad) {
    std::ifstream page(testing::source_dir() + "/docs/configuration.md");
    std::vector<std::string> examples;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line == "```toml") {
            inside = true;
            examples.emplace_back();
        } else if (line == "```") {
            inside = false;
        } else if (inside) {
            examples.back() += line + "\n";
        }
    }
    ASSERT_EQ(examples.size(), 2u);
    for (const char* name : {"cave.toml", "cave-base.toml"}) {
        std::filesystem::copy_file(shipped() / name, path(name));
    }
    EXPECT_EQ(load(examples[0]).config.nand.timing.t_prog.size(), 3u);
    write("nand/mine.toml", examples[1]);
    EXPECT_EQ(load("", {"nand.part=mine"}).config.nand.timing.bus_byte_fs, 25'000'000u);
}

} // namespace
} // namespace cavern
