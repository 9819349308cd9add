#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload/generator.h"

namespace cavern {

/// Statistics that a synthetic workload is to have, as papers print them of traces that cannot be
/// had. What is absent is free. Sizes in bytes, shares from 0 to 1.
struct FitTarget {
    std::string name = "fitted";
    std::uint64_t requests = 0;
    double read_share = 0;
    std::optional<double> read_mean;
    std::optional<double> write_mean;
    std::optional<double> random_share;   ///< TraceStatistics::random_share
    std::optional<double> read_footprint; ///< unique 4 KiB pages, in bytes
    std::optional<double> write_footprint;
    std::uint64_t address_space = 0;    ///< over which the pages are spread
    std::optional<TimePs> interarrival; ///< mean; exponential. Absent: closed loop
    PlaceDistribution distribution;     ///< of random places: usually an assumption
    std::string distribution_text = "random";
    std::optional<std::uint64_t> cluster; ///< JobSpec::cluster: an assumption, too
    std::uint32_t unit = 4096;            ///< sizes and offsets are multiples
    std::uint64_t seed = 1;
};

/// One figure of a fit: what was asked for and what the generated requests have.
struct FitFigure {
    std::string name;
    double target;
    double reached;
    std::string unit;

    [[nodiscard]] double error() const {
        return target == 0 ? reached : (reached - target) / target;
    }
};

struct Fit {
    JobSpec job;
    std::vector<FitFigure> figures;
    std::uint64_t measured_requests; ///< from which the figures are
};

/// Reads the table [target] of a workload file; throws UserError naming file and line. Keys:
/// name, requests, reads_percent, read_mean_kib, write_mean_kib, random_percent,
/// read_footprint_gib, write_footprint_gib, address_space_gib, interarrival_us, distribution,
/// cluster, bs, seed.
[[nodiscard]] FitTarget parse_fit_target(std::string_view text, const std::string& file);

/// Finds the job by generating, measuring and correcting, until every figure is within 0.2 % or
/// 16 rounds have passed: means, mix, share of random requests and sizes of the regions. What
/// cannot be reached (a footprint larger than all the requests together) shows in the figures.
[[nodiscard]] Fit fit_job(const FitTarget& target);

/// The job as a table [[job]] that parse_generator_spec() reads back, with the figures before it as
/// comments.
[[nodiscard]] std::string fit_to_toml(const FitTarget& target, const Fit& fit);

} // namespace cavern
