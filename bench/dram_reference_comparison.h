#pragma once

#include <string>
#include <vector>

#include "core/parts/sdram_timing.h"

namespace cavern {

/// One line of a comparison of the scheduler with something that is known.
struct ComparisonRow {
    std::string stream;
    std::string variant;  ///< queue limits, or the part
    std::string quantity; ///< bandwidth, activates, refreshes, latency
    std::string unit;     ///< B/s, 1, clk
    double ours = 0.0;
    double reference = 0.0;
    double bound = 0.0; ///< largest |error|; 0 asks for equality
    std::string source; ///< simulator, or the formula

    /// ours / reference - 1.
    [[nodiscard]] double error() const { return ours / reference - 1.0; }
    [[nodiscard]] bool holds() const;
};

/// Runs every address stream on `timing` (the part the figures are for) and compares it with the
/// figures of DRAMSys and DRAMsim3 in `csv_path`: bandwidth within 1 % (sequential and page bursts)
/// or 5 % (random), activates of random streams within 1 %, refreshes equal to floor(total /
/// tREFI). Throws UserError when the file cannot be read or a figure is missing.
[[nodiscard]] std::vector<ComparisonRow> compare_with_simulators(const std::string& csv_path,
                                                                 const SdramTiming& timing);

/// Unloaded latencies (equal), streaming and random-row bandwidth (within 2 %) against what the
/// timing parameters allow; `source` holds the formula.
[[nodiscard]] std::vector<ComparisonRow> compare_with_formulas(const std::string& part,
                                                               const SdramTiming& timing);

} // namespace cavern
