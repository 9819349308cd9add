#include "config/energy_check.h"

#include <array>

namespace cavern {
namespace {

struct Supply {
    const char* key;
    std::uint64_t value;
    std::uint64_t least; ///< the background that it contains
};

std::optional<ConfigProblem> nand_problem(const NandCurrents& nand) {
    const std::array<Supply, 5> of_vcc{{{"nand.icc_read", nand.icc_read_na, 0},
                                        {"nand.icc_program", nand.icc_program_na, 0},
                                        {"nand.icc_erase", nand.icc_erase_na, 0},
                                        {"nand.icc_bus", nand.icc_bus_na, 0},
                                        {"nand.icc_standby", nand.icc_standby_na, 0}}};
    for (const Supply& supply : of_vcc) {
        if (supply.value != 0 && nand.vcc_mv == 0) {
            return ConfigProblem{{supply.key, "nand.vcc"},
                                 std::string(supply.key) + " without nand.vcc",
                                 "both, or neither"};
        }
    }
    if (nand.iccq_bus_na != 0 && nand.vccq_mv == 0) {
        return ConfigProblem{
            {"nand.iccq_bus", "nand.vccq"}, "nand.iccq_bus without nand.vccq", "both, or neither"};
    }
    return std::nullopt;
}

} // namespace

std::optional<ConfigProblem> find_energy_problem(const DrivePlan& config) {
    if (const auto problem = nand_problem(config.nand.currents)) {
        return problem;
    }
    const SdramCurrents& dram = config.dram.currents;
    const std::array<Supply, 8> all{{{"dram.devices", dram.devices, 0},
                                     {"dram.vdd", dram.vdd_mv, 0},
                                     {"dram.idd2n", dram.idd2n_na, 0},
                                     {"dram.idd3n", dram.idd3n_na, dram.idd2n_na},
                                     {"dram.idd0", dram.idd0_na, dram.idd3n_na},
                                     {"dram.idd4r", dram.idd4r_na, dram.idd3n_na},
                                     {"dram.idd4w", dram.idd4w_na, dram.idd3n_na},
                                     {"dram.idd5", dram.idd5_na, dram.idd3n_na}}};
    std::vector<std::string> keys;
    std::string missing;
    bool any = false;
    for (const Supply& supply : all) {
        keys.emplace_back(supply.key);
        any = any || supply.value != 0;
        if (supply.value == 0 && missing.empty()) {
            missing = supply.key;
        }
    }
    if (any && !missing.empty()) {
        return ConfigProblem{keys, "some currents of the SDRAM are given, and not " + missing,
                             "all of dram.devices, dram.vdd and dram.idd..., or none"};
    }
    for (const Supply& supply : all) {
        if (supply.value < supply.least) {
            return ConfigProblem{
                {supply.key, "dram.idd2n", "dram.idd3n"},
                std::string(supply.key) + " lies below the background current",
                "dram.idd2n at most dram.idd3n, and dram.idd3n at most the others"};
        }
    }
    return std::nullopt;
}

} // namespace cavern
