#include "core/parts/onfi_modes.h"

#include <algorithm>

namespace cavern {
namespace {

// ONFI's tables of timing modes, as Linux has them (drivers/mtd/nand/raw/nand_timings.c). tCCS is
// that of a target whose parameter page has not been read.

std::vector<OnfiMode> sdr() {
    const auto mode = [](TimePs t_rc, TimePs t_wc, TimePs gap, TimePs t_whr = 80 * kNs) {
        return OnfiMode{t_rc, t_wc, 400 * kNs, 500 * kNs, gap, gap, t_whr};
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
        modes.push_back({t_ck / 2, std::max(t_ck, kTcad), 400 * kNs, 500 * kNs, 100 * kNs,
                         100 * kNs, 80 * kNs});
    }
    return modes;
}

} // namespace

const std::vector<OnfiMode>& onfi_modes(NandInterface interface) {
    static const std::vector<OnfiMode> custom;
    static const std::vector<OnfiMode> of_sdr = sdr();
    static const std::vector<OnfiMode> of_nv_ddr = nv_ddr();
    switch (interface) {
    case NandInterface::kSdr:
        return of_sdr;
    case NandInterface::kNvDdr:
        return of_nv_ddr;
    case NandInterface::kCustom:
        break;
    }
    return custom;
}

} // namespace cavern
