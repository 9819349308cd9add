#include "config/key_builder.h"

// What a drive is supplied with. Nothing is estimated: what a part does not give is "unknown", and
// the results have null for it.

namespace cavern {
namespace {

using T = KeyType;

constexpr const char* kUnknown = "unknown";
constexpr std::uint64_t kMostMillivolts = 100'000;
constexpr std::uint64_t kMostNanoamperes = 10'000'000'000;
constexpr std::uint64_t kMostMicrowatts = 1'000'000'000;

KeyRow voltage(const char* name, const char* meaning) {
    return KeyRow(T::kVolts, name, meaning).range(1, kMostMillivolts).stored_as_zero(kUnknown);
}
KeyRow current(const char* name, const char* meaning) {
    return KeyRow(T::kAmperes, name, meaning).range(1, kMostNanoamperes).stored_as_zero(kUnknown);
}

} // namespace

Keys nand_current_keys() {
    const auto nand = &SsdConfig::nand;
    const auto currents = &NandConfig::currents;
    const auto of = [&](KeyRow row, std::uint64_t NandCurrents::*member) {
        return row.part_with_default().to(nand, currents, member);
    };
    return {
        of(voltage("nand.vcc", "Vcc: supply voltage of the NAND array"), &NandCurrents::vcc_mv),
        of(current("nand.icc_read", "ICC1: a die draws this current at Vcc during tR"),
           &NandCurrents::icc_read_na),
        of(current("nand.icc_program", "ICC2: a die draws this current at Vcc during tPROG"),
           &NandCurrents::icc_program_na),
        of(current("nand.icc_erase", "ICC3: a die draws this current at Vcc during tBERS"),
           &NandCurrents::icc_erase_na),
        of(current("nand.icc_bus",
                   "ICC4: a die draws this current at Vcc while its data are on the bus"),
           &NandCurrents::icc_bus_na),
        of(current("nand.icc_standby",
                   "ISB: a die draws this current at Vcc while its array is not busy"),
           &NandCurrents::icc_standby_na),
        of(voltage("nand.vccq", "VccQ: supply voltage of the NAND input and output"),
           &NandCurrents::vccq_mv),
        of(current("nand.iccq_bus",
                   "ICCQ4: a die draws this current at VccQ while its data are on the bus"),
           &NandCurrents::iccq_bus_na),
    };
}

Keys dram_current_keys() {
    const auto dram = &SsdConfig::dram;
    const auto currents = &DramConfig::currents;
    const auto of = [&](KeyRow row, std::uint64_t SdramCurrents::*member) {
        return row.part_with_default().to(dram, currents, member);
    };
    return {
        KeyRow(T::kCount, "dram.devices",
               "the SDRAM rank consists of this many devices; 0: the number is not known")
            .range(0, 64)
            .part_with_default()
            .to(dram, currents, &SdramCurrents::devices),
        of(voltage("dram.vdd", "VDD: supply voltage of the SDRAM"), &SdramCurrents::vdd_mv),
        of(current("dram.idd0",
                   "IDD0: current of one SDRAM device that opens and closes a row every tRC"),
           &SdramCurrents::idd0_na),
        of(current("dram.idd2n", "IDD2N: current of one SDRAM device with all rows closed"),
           &SdramCurrents::idd2n_na),
        of(current("dram.idd3n", "IDD3N: current of one SDRAM device with a row open"),
           &SdramCurrents::idd3n_na),
        of(current("dram.idd4r", "IDD4R: current of one SDRAM device that reads without a pause"),
           &SdramCurrents::idd4r_na),
        of(current("dram.idd4w", "IDD4W: current of one SDRAM device that is written without a "
                                 "pause"),
           &SdramCurrents::idd4w_na),
        of(current("dram.idd5", "IDD5B: current of one SDRAM device that refreshes without a "
                                "pause"),
           &SdramCurrents::idd5_na),
    };
}

Keys controller_keys() {
    return {
        KeyRow(T::kWatts, "controller.power",
               "the controller takes this power, busy or not, its side of the buses included")
            .range(1, kMostMicrowatts)
            .stored_as_zero(kUnknown)
            .to(&SsdConfig::controller, &ControllerConfig::power_uw),
    };
}

} // namespace cavern
