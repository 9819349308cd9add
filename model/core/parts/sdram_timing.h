#pragma once

#include <cstdint>

#include "core/base/refusal.h"
#include "core/base/units.h"

namespace cavern {

/// Of all ranks of a channel together.
inline constexpr std::uint32_t kMaxSdramBanks = 32;

/// Of a power of two.
[[nodiscard]] inline std::uint32_t log2_of(std::uint64_t power_of_two) {
    return static_cast<std::uint32_t>(__builtin_ctzll(power_of_two));
}

/// Timing of SDRAM and organisation of one rank, by JEDEC symbol, in clocks of tCK unless named
/// otherwise (JESD79-3, JESD79-4, JESD209-4). An access moves `burst_bytes` = bus width / 8 * burst
/// length at a time. Where banks form groups, tCCD, tRRD and tWTR are those between groups (_S),
/// and the values of the same name with _l those within one (_L); 0: the same.
struct SdramTiming {
    TimePs t_ck = 1250 * kPs;
    std::uint32_t bus_bits = 32;
    std::uint32_t burst_length = 8;
    std::uint32_t banks = 8; ///< in all groups together
    std::uint32_t bank_groups = 1;
    std::uint32_t row_bytes = 4096; ///< of all devices of the rank together
    std::uint32_t ranks = 1;        ///< on one data bus
    std::uint32_t cl = 11;
    std::uint32_t cwl = 8;
    std::uint32_t t_rcd = 11;
    std::uint32_t t_rp = 11;
    std::uint32_t t_rp_ab = 0; ///< of all banks together; 0: as t_rp
    std::uint32_t t_ras = 28;
    std::uint32_t t_rc = 39;
    std::uint32_t t_rrd = 5;
    std::uint32_t t_rrd_l = 0;
    std::uint32_t t_faw = 24;
    std::uint32_t t_ccd = 4;
    std::uint32_t t_ccd_l = 0;
    std::uint32_t t_rtp = 6;
    std::uint32_t t_wr = 12;
    std::uint32_t t_wtr = 6;
    std::uint32_t t_wtr_l = 0;
    std::uint32_t t_rtrs = 2; ///< the data bus rests between data of two ranks
    std::uint32_t t_rfc = 208;
    std::uint32_t t_refi = 6240;
    std::uint32_t queue_depth = 32; ///< transactions the scheduler looks at

    [[nodiscard]] std::uint32_t burst_bytes() const { return bus_bits / 8 * burst_length; }
    /// Clocks the data bus needs for one burst: two transfers a clock.
    [[nodiscard]] std::uint32_t burst_clocks() const { return burst_length / 2; }
    /// Clocks between column commands of two groups, and of one: tCCD, or the burst if it is
    /// longer.
    [[nodiscard]] std::uint32_t burst_spacing() const { return longer(t_ccd, burst_clocks()); }
    [[nodiscard]] std::uint32_t group_spacing() const { return longer(ccd_l(), burst_clocks()); }
    /// Groups over which neighbouring bursts go by turns, so that they follow each other at
    /// burst_spacing: 1 or 2.
    [[nodiscard]] std::uint32_t lanes() const { return group_spacing() > burst_spacing() ? 2 : 1; }
    [[nodiscard]] std::uint32_t ccd_l() const { return t_ccd_l == 0 ? t_ccd : t_ccd_l; }
    [[nodiscard]] std::uint32_t rrd_l() const { return t_rrd_l == 0 ? t_rrd : t_rrd_l; }
    [[nodiscard]] std::uint32_t wtr_l() const { return t_wtr_l == 0 ? t_wtr : t_wtr_l; }
    [[nodiscard]] std::uint32_t rp_ab() const { return t_rp_ab == 0 ? t_rp : t_rp_ab; }
    /// RD to WR on any bank: CL + burst + 2 (bus turn-round) - CWL.
    [[nodiscard]] std::uint32_t read_to_write() const { return cl + burst_clocks() + 2 - cwl; }
    /// WR to RD of another group: tWTR counts from the end of the write data.
    [[nodiscard]] std::uint32_t write_to_read() const { return cwl + burst_clocks() + t_wtr; }
    /// WR to RD of the same group, the same where there is one.
    [[nodiscard]] std::uint32_t write_to_read_l() const { return cwl + burst_clocks() + wtr_l(); }
    /// WR to PRE of its bank: tWR counts from the end of the write data.
    [[nodiscard]] std::uint32_t write_to_precharge() const { return cwl + burst_clocks() + t_wr; }
    /// From a column command of one rank to one of another, by their latencies (CL or CWL).
    [[nodiscard]] std::uint32_t rank_to_rank(std::uint32_t latency, std::uint32_t next) const {
        const std::uint32_t end = latency + burst_clocks() + t_rtrs;
        return end > next ? end - next : 1;
    }

  private:
    static constexpr std::uint32_t longer(std::uint32_t a, std::uint32_t b) {
        return a < b ? b : a;
    }
};

/// The first thing wrong, with the key of the part file; nothing when the scheduler can run
/// `timing`: sizes are powers of two, no count is zero, and the sums of JESD79-3 fit (tRAS >= tRCD,
/// tRC >= tRAS + tRP, tFAW >= tRRD, a refresh of each rank fits in tREFI).
[[nodiscard]] Refused find_problem(const SdramTiming& timing);

} // namespace cavern
