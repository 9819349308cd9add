#include "core/parts/sdram_timing.h"

namespace cavern {

namespace {

/// What is wrong with the bank groups.
Refused find_group_problem(const SdramTiming& timing) {
    if (!is_power_of_two(timing.bank_groups) || timing.bank_groups > timing.banks) {
        return Refusal{{"bank_groups"},
                       std::to_string(timing.bank_groups) + " groups of " +
                           std::to_string(timing.banks) + " banks in all",
                       "a power of two, at most dram.banks"};
    }
    struct Pair {
        const char* key;
        std::uint32_t within;
        const char* between_key;
        std::uint32_t between;
    };
    const Pair pairs[] = {{"t_ccd_l", timing.t_ccd_l, "t_ccd", timing.t_ccd},
                          {"t_rrd_l", timing.t_rrd_l, "t_rrd", timing.t_rrd},
                          {"t_wtr_l", timing.t_wtr_l, "t_wtr", timing.t_wtr}};
    for (const Pair& pair : pairs) {
        if (pair.within != 0 && timing.bank_groups == 1) {
            return Refusal{
                {pair.key}, "there are no bank groups", "0, or dram.bank_groups at least 2"};
        }
        if (pair.within != 0 && pair.within < pair.between) {
            return Refusal{{pair.key},
                           std::string("it is shorter than ") + pair.between_key,
                           "0, or at least " + std::to_string(pair.between)};
        }
    }
    if (timing.group_spacing() > 2 * timing.burst_spacing()) {
        return Refusal{{"t_ccd_l"},
                       "two groups by turns cannot fill the data bus",
                       "at most " + std::to_string(2 * timing.burst_spacing())};
    }
    return std::nullopt;
}

} // namespace

Refused find_problem(const SdramTiming& timing) {
    struct Count {
        const char* key;
        std::uint64_t value;
    };
    const Count counts[] = {{"t_ck", timing.t_ck},
                            {"cl", timing.cl},
                            {"cwl", timing.cwl},
                            {"t_rcd", timing.t_rcd},
                            {"t_rp", timing.t_rp},
                            {"t_ras", timing.t_ras},
                            {"t_rc", timing.t_rc},
                            {"t_rrd", timing.t_rrd},
                            {"t_faw", timing.t_faw},
                            {"t_ccd", timing.t_ccd},
                            {"t_rtp", timing.t_rtp},
                            {"t_wr", timing.t_wr},
                            {"t_wtr", timing.t_wtr},
                            {"t_rfc", timing.t_rfc},
                            {"t_refi", timing.t_refi},
                            {"t_rtrs", timing.t_rtrs},
                            {"queue_depth", timing.queue_depth}};
    for (const Count& count : counts) {
        if (count.value == 0) {
            return Refusal{{count.key}, "it is zero", "at least 1"};
        }
    }
    const Count sizes[] = {{"bus_bits", timing.bus_bits},
                           {"burst_length", timing.burst_length},
                           {"banks", timing.banks},
                           {"row_bytes", timing.row_bytes},
                           {"ranks", timing.ranks}};
    for (const Count& size : sizes) {
        if (!is_power_of_two(size.value)) {
            return Refusal{{size.key},
                           std::to_string(size.value) + " is not a power of two",
                           "a power of two"};
        }
    }
    if (timing.bus_bits < 8 || timing.burst_length < 2) {
        return Refusal{{timing.bus_bits < 8 ? "bus_bits" : "burst_length"},
                       "it is too small",
                       "bus_bits >= 8, burst_length >= 2"};
    }
    if (timing.t_ccd < 2) {
        return Refusal{{"t_ccd"}, "column commands leave no clock for a row command", "at least 2"};
    }
    if (timing.banks > kMaxSdramBanks) {
        return Refusal{{"banks"}, "there are more than 32", "1, 2, 4, 8, 16 or 32"};
    }
    if (timing.banks * timing.ranks > kMaxSdramBanks) {
        return Refusal{{"ranks"},
                       std::to_string(timing.ranks) + " ranks have more than 32 banks together",
                       "at most " + std::to_string(kMaxSdramBanks / timing.banks)};
    }
    if (auto problem = find_group_problem(timing)) {
        return problem;
    }
    if (timing.row_bytes < timing.burst_bytes()) {
        return Refusal{{"row_bytes"},
                       "a row is shorter than one burst",
                       "at least " + std::to_string(timing.burst_bytes()) + "B"};
    }
    if (timing.cl + timing.burst_clocks() + 2 <= timing.cwl) {
        return Refusal{{"cwl"},
                       "a write would overtake a read on the data bus",
                       "less than cl + burst_length / 2 + 2"};
    }
    if (timing.t_ras < timing.t_rcd) {
        return Refusal{{"t_ras"}, "it is shorter than t_rcd", "t_ras >= t_rcd"};
    }
    if (timing.t_rc < timing.t_ras + timing.t_rp) {
        return Refusal{{"t_rc"},
                       "it is shorter than t_ras + t_rp",
                       "at least " + std::to_string(timing.t_ras + timing.t_rp)};
    }
    if (timing.rp_ab() < timing.t_rp) {
        return Refusal{{"t_rp_ab"},
                       "it is shorter than t_rp",
                       "0, or at least " + std::to_string(timing.t_rp)};
    }
    if (timing.t_faw < timing.t_rrd) {
        return Refusal{{"t_faw"}, "it is shorter than t_rrd", "t_faw >= t_rrd"};
    }
    // The longest way to a refresh: an activate or a write just before it is due, then precharge.
    const std::uint64_t before = timing.t_rc + timing.write_to_precharge() + timing.rp_ab();
    const std::uint64_t least = timing.ranks * (before + timing.t_rfc + timing.t_rcd);
    if (timing.t_refi <= least) {
        return Refusal{
            {"t_refi"}, "a refresh takes the whole interval", "more than " + std::to_string(least)};
    }
    return std::nullopt;
}

} // namespace cavern
