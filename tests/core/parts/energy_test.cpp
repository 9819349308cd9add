// Energy of an SDRAM against figures that others published, and of a NAND die by hand.

#include "core/parts/energy.h"

#include <cmath>
#include <gtest/gtest.h>

namespace cavern {
namespace {

constexpr std::uint64_t kMa = 1'000'000; // nA

double milliwatts(double joules, TimePs time) {
    return joules / (static_cast<double>(time) * 1e-12) * 1e3;
}

/// Micron 2 Gb x8 DDR3-1600, speed grade -125E: tRC 47.5 ns, tRAS 35 ns, tRFC 160 ns.
SdramTiming ddr3_1600() {
    SdramTiming timing;
    timing.t_ck = 1250 * kPs;
    timing.bus_bits = 8;
    timing.t_rc = 38;
    timing.t_ras = 28;
    timing.t_rfc = 128;
    timing.t_refi = 6240;
    return timing;
}

SdramCurrents micron_2gb_x8() {
    SdramCurrents part;
    part.devices = 1;
    part.vdd_mv = 1500;
    part.idd0_na = 95 * kMa;
    part.idd2n_na = 42 * kMa;
    part.idd3n_na = 45 * kMa;
    part.idd4r_na = 180 * kMa;
    part.idd4w_na = 185 * kMa;
    part.idd5_na = 215 * kMa;
    return part;
}

/// Micron's power calculator for DDR3 (DDR3_Power_Calc.xlsm), as the tests of the Python package
/// energydram 1.2 quote it for this part: mW, to one place.
TEST(EnergyTest, MicronsPowerCalculatorGivesTheSamePower) {
    const SdramTiming timing = ddr3_1600();
    const auto power = [&](const SdramWork& work, double SdramEnergy::*part, TimePs over) {
        return milliwatts(sdram_energy(micron_2gb_x8(), timing, work).*part, over);
    };
    SdramWork idle;
    idle.span = kMs;
    EXPECT_NEAR(power(idle, &SdramEnergy::precharged, kMs), 63.0, 0.1);
    SdramWork open = idle;
    open.active = kMs;
    EXPECT_NEAR(power(open, &SdramEnergy::active, kMs), 67.5, 0.1);
    EXPECT_EQ(power(open, &SdramEnergy::precharged, kMs), 0.0);
    SdramWork one;
    one.activates = one.read_bursts = one.write_bursts = one.refreshes = 1;
    EXPECT_NEAR(power(one, &SdramEnergy::activate, timing.t_rc * timing.t_ck), 76.2, 0.1);
    EXPECT_NEAR(power(one, &SdramEnergy::read, 4 * timing.t_ck), 202.5, 0.1);
    EXPECT_NEAR(power(one, &SdramEnergy::write, 4 * timing.t_ck), 210.0, 0.1);
    EXPECT_NEAR(power(one, &SdramEnergy::refresh, timing.t_refi * timing.t_ck), 5.2, 0.1);
}

/// Reference output of DRAMPower for its trace on a Micron 1 Gb DDR2-1066 x16 (its repository,
/// test/reference/test_commands_trace_output_matches_reference.out, and the currents in memspecs).
struct DramPowerTrace {
    SdramTiming timing;
    SdramCurrents part;
    SdramWork work;
    double picojoules = 26'310'866.79;

    DramPowerTrace() {
        timing.t_ck = 1876 * kPs; // 533 MHz
        timing.t_rc = 31;
        timing.t_ras = 24;
        timing.t_rfc = 68;
        part.devices = 1;
        part.vdd_mv = 1800;
        part.idd0_na = 90 * kMa;
        part.idd2n_na = 36 * kMa;
        part.idd3n_na = 42 * kMa;
        part.idd4r_na = 180 * kMa;
        part.idd4w_na = 185 * kMa;
        part.idd5_na = 160 * kMa;
        work.activates = 1502;
        work.read_bursts = 1499;
        work.write_bursts = 3;
        work.refreshes = 36;
        work.active = 36'250 * timing.t_ck;
        work.span = (36'250 + 79'232) * timing.t_ck;
    }
    [[nodiscard]] double of_reference() const {
        return sdram_energy(part, timing, work).total() * 1e12 / picojoules;
    }
};

TEST(EnergyTest, DramPowersTraceTakesTheSameEnergy) {
    EXPECT_NEAR(DramPowerTrace().of_reference(), 1.0, 0.001);
    DramPowerTrace without_background;
    without_background.work.span = without_background.work.active;
    EXPECT_GT(std::abs(without_background.of_reference() - 1.0), 0.1);
    DramPowerTrace without_activates;
    without_activates.work.activates = 0;
    EXPECT_GT(std::abs(without_activates.of_reference() - 1.0), 0.1);
}

TEST(EnergyTest, DevicesSideBySideTakeTheirNumberTimesTheEnergy) {
    DramPowerTrace four;
    four.part.devices = 4;
    EXPECT_NEAR(four.of_reference(), 4 * DramPowerTrace().of_reference(), 1e-9);
}

TEST(EnergyTest, ASupplyGivesVoltageTimesCurrentTimesTime) {
    // 3.3 V, 15 mA, 25 us: 1.2375 uJ
    EXPECT_DOUBLE_EQ(supply_energy(3300, 15.0 * kMa, 25.0 * kUs), 1.2375e-6);
}

TEST(EnergyTest, ABusTakesTheCurrentsOfBothItsSupplies) {
    NandCurrents part;
    EXPECT_FALSE(part.bus_known());
    part.vccq_mv = 1800;
    part.iccq_bus_na = 10 * kMa;
    EXPECT_TRUE(part.bus_known());
    EXPECT_DOUBLE_EQ(nand_bus_energy(part, 10.0 * kUs), 1.8e-7);
    part.vcc_mv = 3300;
    part.icc_bus_na = 20 * kMa;
    EXPECT_DOUBLE_EQ(nand_bus_energy(part, 10.0 * kUs), 1.8e-7 + 6.6e-7);
}

} // namespace
} // namespace cavern
