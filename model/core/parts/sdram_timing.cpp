#include "core/parts/sdram_timing.h"

namespace cavern {

namespace {

bool is_power_of_two(std::uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

} // namespace

std::optional<SdramTimingProblem> find_problem(const SdramTiming& timing) {
    struct Count {
        const char* key;
        std::uint64_t value;
    };
    const Count counts[] = {{"t_ck", timing.t_ck},     {"cl", timing.cl},
                            {"cwl", timing.cwl},       {"t_rcd", timing.t_rcd},
                            {"t_rp", timing.t_rp},     {"t_ras", timing.t_ras},
                            {"t_rc", timing.t_rc},     {"t_rrd", timing.t_rrd},
                            {"t_faw", timing.t_faw},   {"t_ccd", timing.t_ccd},
                            {"t_rtp", timing.t_rtp},   {"t_wr", timing.t_wr},
                            {"t_wtr", timing.t_wtr},   {"t_rfc", timing.t_rfc},
                            {"t_refi", timing.t_refi}, {"queue_depth", timing.queue_depth}};
    for (const Count& count : counts) {
        if (count.value == 0) {
            return SdramTimingProblem{count.key, "it is zero", "at least 1"};
        }
    }
    const Count sizes[] = {{"bus_bits", timing.bus_bits},
                           {"burst_length", timing.burst_length},
                           {"banks", timing.banks},
                           {"row_bytes", timing.row_bytes}};
    for (const Count& size : sizes) {
        if (!is_power_of_two(size.value)) {
            return SdramTimingProblem{
                size.key, std::to_string(size.value) + " is not a power of two", "a power of two"};
        }
    }
    if (timing.bus_bits < 8 || timing.burst_length < 2) {
        return SdramTimingProblem{timing.bus_bits < 8 ? "bus_bits" : "burst_length",
                                  "it is too small", "bus_bits >= 8, burst_length >= 2"};
    }
    if (timing.t_ccd < 2) {
        return SdramTimingProblem{"t_ccd", "column commands leave no clock for a row command",
                                  "at least 2"};
    }
    if (timing.banks > 32) {
        return SdramTimingProblem{"banks", "there are more than 32", "1, 2, 4, 8, 16 or 32"};
    }
    if (timing.row_bytes < timing.burst_bytes()) {
        return SdramTimingProblem{"row_bytes", "a row is shorter than one burst",
                                  "at least " + std::to_string(timing.burst_bytes()) + "B"};
    }
    if (timing.cl + timing.burst_clocks() + 2 <= timing.cwl) {
        return SdramTimingProblem{"cwl", "a write would overtake a read on the data bus",
                                  "less than cl + burst_length / 2 + 2"};
    }
    if (timing.t_ras < timing.t_rcd) {
        return SdramTimingProblem{"t_ras", "it is shorter than t_rcd", "t_ras >= t_rcd"};
    }
    if (timing.t_rc < timing.t_ras + timing.t_rp) {
        return SdramTimingProblem{"t_rc", "it is shorter than t_ras + t_rp",
                                  "at least " + std::to_string(timing.t_ras + timing.t_rp)};
    }
    if (timing.t_faw < timing.t_rrd) {
        return SdramTimingProblem{"t_faw", "it is shorter than t_rrd", "t_faw >= t_rrd"};
    }
    // The longest way to a refresh: an activate or a write just before it is due, then precharge.
    const std::uint64_t before = timing.t_rc + timing.write_to_precharge() + timing.t_rp;
    if (timing.t_refi <= before + timing.t_rfc + timing.t_rcd) {
        return SdramTimingProblem{"t_refi", "a refresh takes the whole interval",
                                  "more than " +
                                      std::to_string(before + timing.t_rfc + timing.t_rcd)};
    }
    return std::nullopt;
}

} // namespace cavern
