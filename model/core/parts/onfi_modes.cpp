#include "core/parts/onfi_modes.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace cavern {
namespace {

constexpr std::uint64_t kFsPerPs = 1000;

// ONFI's tables of timing modes. tCCS is that of a target whose parameter page has not been read:
// 500 ns, as Linux and Phoenix-RTOS (onfi-4.h) have it.
//
// SDR and NV-DDR as in Linux (drivers/mtd/nand/raw/nand_timings.c). NV-DDR2 and NV-DDR3 from:
// - tRC of modes 0 to 15: the Ramaxel M7 program for a tester of NV-DDR3 parts (Timings.cpp, tper),
//   for ONFI 4.2; of modes 0 to 4 for both: FMSH's driver for the HPNFC controller
//   (fmsh_hpnfc_flash.c); NV-DDR2 mode 3 is 12 ns in Micron's data sheet of MT29F128G08CBECB, too.
// - NV-DDR2 ends with mode 10: the parameter page of ONFI 4.0 (onfi-4.h of Phoenix-RTOS).
// - tADL, tRHW, tWB, tWHR: FMSH's driver, the same in all modes.
// - tWC 25 ns: MQSim's defaults for NV-DDR2 (ONFI_Channel_NVDDR2.h); tWP and tWH are 11 ns each in
//   both drivers above.

std::vector<OnfiMode> sdr() {
    const auto mode = [](TimePs t_rc, TimePs t_wc, TimePs gap, TimePs t_whr = 80 * kNs) {
        return OnfiMode{t_rc * kFsPerPs, t_wc, 400 * kNs, 500 * kNs, gap, gap, t_whr};
    };
    return {mode(100 * kNs, 100 * kNs, 200 * kNs, 120 * kNs),
            mode(50 * kNs, 45 * kNs, 100 * kNs),
            mode(35 * kNs, 35 * kNs, 100 * kNs),
            mode(30 * kNs, 30 * kNs, 100 * kNs),
            mode(25 * kNs, 25 * kNs, 100 * kNs),
            mode(20 * kNs, 20 * kNs, 100 * kNs)};
}

std::vector<OnfiMode> nv_ddr() {
    constexpr TimePs kTcad = 45 * kNs;
    std::vector<OnfiMode> modes;
    for (const TimePs t_ck : {50 * kNs, 30 * kNs, 20 * kNs, 15 * kNs, 12 * kNs, 10 * kNs}) {
        modes.push_back({t_ck * kFsPerPs / 2, std::max(t_ck, kTcad), 400 * kNs, 500 * kNs,
                         100 * kNs, 100 * kNs, 80 * kNs});
    }
    return modes;
}

/// NV-DDR2 and NV-DDR3, which differ in their voltages, have the times of a mode in common.
std::vector<OnfiMode> strobed_by_re(std::size_t count) {
    constexpr std::array<TimePs, 16> kTrc{30'000, 25'000, 15'000, 12'000, 10'000, 7'500,
                                          6'000,  5'000,  3'750,  3'000,  2'500,  1'875,
                                          1'667,  1'500,  1'364,  1'250};
    std::vector<OnfiMode> modes;
    for (std::size_t i = 0; i < count; ++i) {
        modes.push_back({kTrc.at(i) * kFsPerPs / 2, 25 * kNs, 400 * kNs, 500 * kNs, 100 * kNs,
                         100 * kNs, 80 * kNs});
    }
    return modes;
}

} // namespace

const std::vector<OnfiMode>& onfi_modes(NandInterface interface) {
    static const std::vector<OnfiMode> custom;
    static const std::vector<OnfiMode> of_sdr = sdr();
    static const std::vector<OnfiMode> of_nv_ddr = nv_ddr();
    static const std::vector<OnfiMode> of_nv_ddr2 = strobed_by_re(11);
    static const std::vector<OnfiMode> of_nv_ddr3 = strobed_by_re(16);
    switch (interface) {
    case NandInterface::kSdr:
        return of_sdr;
    case NandInterface::kNvDdr:
        return of_nv_ddr;
    case NandInterface::kNvDdr2:
        return of_nv_ddr2;
    case NandInterface::kNvDdr3:
        return of_nv_ddr3;
    case NandInterface::kCustom:
        break;
    }
    return custom;
}

} // namespace cavern
