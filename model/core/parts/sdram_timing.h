#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/units.h"

namespace cavern {

/// Timing and organisation of one rank of SDRAM, by JEDEC symbol, in clocks of tCK unless named
/// otherwise (JESD79-3). An access moves `burst_bytes` = bus width / 8 * burst length at a time.
struct SdramTiming {
    TimePs t_ck = 1250 * kPs;
    std::uint32_t bus_bits = 32;
    std::uint32_t burst_length = 8;
    std::uint32_t banks = 8;
    std::uint32_t row_bytes = 4096; ///< of all devices of the rank together
    std::uint32_t cl = 11;
    std::uint32_t cwl = 8;
    std::uint32_t t_rcd = 11;
    std::uint32_t t_rp = 11;
    std::uint32_t t_ras = 28;
    std::uint32_t t_rc = 39;
    std::uint32_t t_rrd = 5;
    std::uint32_t t_faw = 24;
    std::uint32_t t_ccd = 4;
    std::uint32_t t_rtp = 6;
    std::uint32_t t_wr = 12;
    std::uint32_t t_wtr = 6;
    std::uint32_t t_rfc = 208;
    std::uint32_t t_refi = 6240;
    std::uint32_t queue_depth = 32; ///< transactions the scheduler looks at

    [[nodiscard]] std::uint32_t burst_bytes() const { return bus_bits / 8 * burst_length; }
    /// Clocks the data bus needs for one burst: two transfers a clock.
    [[nodiscard]] std::uint32_t burst_clocks() const { return burst_length / 2; }
    /// RD to WR on any bank: CL + burst + 2 (bus turn-round) - CWL.
    [[nodiscard]] std::uint32_t read_to_write() const { return cl + burst_clocks() + 2 - cwl; }
    /// WR to RD on any bank: tWTR counts from the end of the write data.
    [[nodiscard]] std::uint32_t write_to_read() const { return cwl + burst_clocks() + t_wtr; }
    /// WR to PRE of its bank: tWR counts from the end of the write data.
    [[nodiscard]] std::uint32_t write_to_precharge() const { return cwl + burst_clocks() + t_wr; }
    [[nodiscard]] std::uint64_t peak_bytes_per_second() const {
        return 2 * std::uint64_t{bus_bits} / 8 * (kSecond / t_ck);
    }
};

/// The first thing wrong with a set of timings: key of the part file, what is wrong, what would be
/// right. For the configuration, which knows file and line.
struct SdramTimingProblem {
    std::string key;
    std::string what;
    std::string right;
};

/// Nothing when the scheduler can run `timing`: sizes are powers of two, no count is zero, and the
/// sums of JESD79-3 fit (tRAS >= tRCD, tRC >= tRAS + tRP, tFAW >= tRRD, a refresh fits in tREFI).
[[nodiscard]] std::optional<SdramTimingProblem> find_problem(const SdramTiming& timing);

} // namespace cavern
