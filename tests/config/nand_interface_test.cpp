// nand.interface and nand.timing_mode: which times they give, and which stay.

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/config_show.h"
#include "core/base/error.h"
#include "tests/config/config_fixture.h"

namespace cavern {
namespace {

class NandInterfaceTest : public ConfigFixture {
  protected:
    NandTiming timing(const std::vector<std::string>& overrides, const std::string& text = "") {
        return load(text, overrides).config.nand.timing;
    }
};

struct Mode {
    const char* interface;
    const char* mode;
    TimePs byte;
    TimePs cycle;
    TimePs turn_round; ///< tRHW, tWB
};

TEST_F(NandInterfaceTest, EachModeHasTheTimesOfOnfi) {
    const std::vector<Mode> modes{{"sdr", "0", 100 * kNs, 100 * kNs, 200 * kNs},
                                  {"sdr", "1", 50 * kNs, 45 * kNs, 100 * kNs},
                                  {"sdr", "2", 35 * kNs, 35 * kNs, 100 * kNs},
                                  {"sdr", "3", 30 * kNs, 30 * kNs, 100 * kNs},
                                  {"sdr", "4", 25 * kNs, 25 * kNs, 100 * kNs},
                                  {"sdr", "5", 20 * kNs, 20 * kNs, 100 * kNs},
                                  {"nv-ddr", "0", 25 * kNs, 50 * kNs, 100 * kNs},
                                  {"nv-ddr", "1", 15 * kNs, 45 * kNs, 100 * kNs},
                                  {"nv-ddr", "2", 10 * kNs, 45 * kNs, 100 * kNs},
                                  {"nv-ddr", "3", 7500, 45 * kNs, 100 * kNs},
                                  {"nv-ddr", "4", 6 * kNs, 45 * kNs, 100 * kNs},
                                  {"nv-ddr", "5", 5 * kNs, 45 * kNs, 100 * kNs}};
    for (const Mode& mode : modes) {
        SCOPED_TRACE(std::string(mode.interface) + " " + mode.mode);
        const NandTiming given = timing({std::string("nand.interface=") + mode.interface,
                                         std::string("nand.timing_mode=") + mode.mode});
        EXPECT_EQ(given.bus_byte_fs, mode.byte * 1000);
        EXPECT_EQ(given.command_cycle, mode.cycle);
        EXPECT_EQ(given.t_rhw, mode.turn_round);
        EXPECT_EQ(given.t_wb, mode.turn_round);
        EXPECT_EQ(given.t_whr, mode.turn_round == 200 * kNs ? 120 * kNs : 80 * kNs);
        EXPECT_EQ(given.t_adl, 400 * kNs);
        EXPECT_EQ(given.t_ccs, 500 * kNs);
        EXPECT_EQ(given.t_dbsy, 0u);
    }
}

/// Bytes in femtoseconds: half of tRC.
TEST_F(NandInterfaceTest, NvDdr2AndNvDdr3HaveTheTimesOfOnfi) {
    const std::vector<std::uint64_t> bytes{
        15'000'000, 12'500'000, 7'500'000, 6'000'000, 5'000'000, 3'750'000, 3'000'000, 2'500'000,
        1'875'000,  1'500'000,  1'250'000, 937'500,   833'500,   750'000,   682'000,   625'000};
    for (const auto& [interface, modes] : {std::pair{"nv-ddr2", 11}, std::pair{"nv-ddr3", 16}}) {
        for (int mode = 0; mode < modes; ++mode) {
            SCOPED_TRACE(std::string(interface) + " " + std::to_string(mode));
            const NandTiming given = timing({std::string("nand.interface=") + interface,
                                             "nand.timing_mode=" + std::to_string(mode)});
            EXPECT_EQ(given.bus_byte_fs, bytes.at(static_cast<std::size_t>(mode)));
            EXPECT_EQ(given.command_cycle, 25 * kNs);
            EXPECT_EQ(given.t_adl, 400 * kNs);
            EXPECT_EQ(given.t_ccs, 500 * kNs);
            EXPECT_EQ(given.t_rhw, 100 * kNs);
            EXPECT_EQ(given.t_wb, 100 * kNs);
            EXPECT_EQ(given.t_whr, 80 * kNs);
        }
    }
    EXPECT_EQ(
        timing({"nand.interface=nv-ddr3", "nand.timing_mode=11", "nand.bus_cycle=2ns"}).bus_byte_fs,
        2'000'000u);
}

/// What --resolved writes gives the same times again, also where a byte takes no whole picoseconds.
TEST_F(NandInterfaceTest, AResolvedModeIsReadBack) {
    for (const char* mode : {"11", "12", "15"}) {
        const ResolvedConfig once =
            load("", {"nand.interface=nv-ddr3", std::string("nand.timing_mode=") + mode});
        const ResolvedConfig again = load(config_to_toml(once, false), {});
        EXPECT_EQ(again.config.nand.timing.bus_byte_fs, once.config.nand.timing.bus_byte_fs);
        EXPECT_EQ(again.config.nand.timing.t_ccs, 500 * kNs);
    }
}

TEST_F(NandInterfaceTest, WithoutOneThePartGivesTheTimes) {
    const NandTiming part = timing({});
    EXPECT_EQ(part.bus_byte_fs, 30'000'000u);
    EXPECT_EQ(part.t_wb, 0u);
    EXPECT_EQ(timing({"nand.interface=custom", "nand.timing_mode=5"}).bus_byte_fs, 30'000'000u);
}

TEST_F(NandInterfaceTest, ATimeThatTheDriveGivesStays) {
    const NandTiming cycle = timing({"nand.interface=sdr", "nand.t_wb=7ns", "nand.bus_cycle=21ns"});
    EXPECT_EQ(cycle.t_wb, 7 * kNs);
    EXPECT_EQ(cycle.bus_byte_fs, 21'000'000u);
    EXPECT_EQ(cycle.command_cycle, 100 * kNs);
    const NandTiming rate = timing({"nand.interface=sdr", "nand.bus_rate=50MT/s"});
    EXPECT_EQ(rate.bus_byte_fs, 20'000'000u);
    EXPECT_EQ(timing({"nand.t_wb=7ns", "nand.interface=sdr"}).t_wb, 7 * kNs);
    const std::string file = "[nand]\nt_adl = \"9ns\"\ninterface = \"nv-ddr\"\n";
    EXPECT_EQ(timing({}, file).t_adl, 9 * kNs);
    EXPECT_EQ(timing({}, file).bus_byte_fs, 25'000'000u);
}

TEST_F(NandInterfaceTest, AnInterfaceGivenLaterReplacesTimesGivenEarlier) {
    const std::string file = "[nand]\nt_adl = \"9ns\"\nbus_rate = \"10MT/s\"\n";
    const NandTiming given = timing({"nand.interface=sdr", "nand.timing_mode=5"}, file);
    EXPECT_EQ(given.t_adl, 400 * kNs);
    EXPECT_EQ(given.bus_byte_fs, 20'000'000u);
}

TEST_F(NandInterfaceTest, ModesAndInterfacesThatAreNotThereAreRefused) {
    EXPECT_THROW((void)timing({"nand.interface=nv-ddr", "nand.timing_mode=6"}), UserError);
    EXPECT_THROW((void)timing({"nand.interface=nv-ddr3", "nand.timing_mode=16"}), UserError);
    EXPECT_THROW((void)timing({"nand.interface=ddr"}), UserError);
    for (const auto& [interface, mode, last] :
         {std::tuple{"sdr", "6", "5"}, std::tuple{"nv-ddr2", "11", "10"}}) {
        try {
            (void)timing({std::string("nand.interface=") + interface,
                          std::string("nand.timing_mode=") + mode});
            FAIL() << interface;
        } catch (const UserError& error) {
            EXPECT_EQ(std::string(error.what()),
                      std::string("<command line>:2: nand.timing_mode = ") + mode +
                          " is no mode of nand.interface = \"" + interface + "\"; 0 to " + last);
        }
    }
}

} // namespace
} // namespace cavern
