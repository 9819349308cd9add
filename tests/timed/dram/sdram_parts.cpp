#include "tests/timed/dram/sdram_parts.h"

#include "bench/dram_reference_streams.h"

namespace cavern {

SdramTiming narrow() {
    SdramTiming timing;
    timing.bus_bits = 16;
    timing.row_bytes = 2048;
    timing.banks = 4;
    timing.t_rc = 47;
    timing.t_ccd = 6;
    timing.t_faw = 40;
    timing.t_rtp = 20;
    timing.queue_depth = 7;
    return timing;
}

SdramTiming groups_of_two() {
    SdramTiming timing = narrow();
    timing.banks = 8;
    timing.bank_groups = 2;
    timing.t_ccd_l = 9;
    timing.t_rrd_l = 9;
    timing.t_wtr_l = 11;
    timing.t_rp_ab = 15;
    return timing;
}

std::vector<SdramTiming> parts() {
    std::vector<SdramTiming> all{SdramTiming{}, ddr3_1600_2gb_x16(), ddr4_3200(), lpddr4_3200(),
                                 narrow(),      groups_of_two()};
    for (std::size_t i = 0, count = all.size(); i < count; ++i) {
        all.push_back(all[i]);
        all.back().ranks = 2;
    }
    all.push_back(narrow());
    all.back().ranks = 4;
    return all;
}

} // namespace cavern
