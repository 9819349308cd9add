#include "workload/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "workload/trace_statistics.h"

namespace cavern {
namespace {

constexpr int kRounds = 16;
constexpr double kGoodEnough = 0.002;
/// The requests of a sample, which show the rest where no footprint is asked for.
constexpr std::uint64_t kSampleRequests = 300'000;
constexpr auto kPage = static_cast<double>(TraceStatistics::kPageBytes);

/// Parameters that are turned to reach the target.
struct Knobs {
    double read_mean;
    double write_mean;
    double read_percent;
    double random_percent;
    double read_region;
    double write_region;
};

std::uint64_t whole_pieces(double bytes, double least, std::uint64_t most) {
    const double pieces = std::ceil(std::max(bytes, least) / JobSpec::kPieceBytes);
    return std::min(static_cast<std::uint64_t>(std::max(pieces, 1.0)) * JobSpec::kPieceBytes,
                    most / JobSpec::kPieceBytes * JobSpec::kPieceBytes);
}

std::uint64_t whole_units(double bytes, double least, std::uint32_t unit, std::uint64_t most) {
    const double units = std::ceil(std::max(bytes, least) / unit);
    return std::min(static_cast<std::uint64_t>(units) * unit, most / unit * unit);
}

JobSpec job_of(const FitTarget& target, const Knobs& knobs) {
    JobSpec job;
    job.name = target.name;
    job.pattern = target.read_share <= 0   ? Pattern::kRandWrite
                  : target.read_share >= 1 ? Pattern::kRandRead
                                           : Pattern::kRandRw;
    // Rounded as fit_to_toml() writes them, so that the description is what was measured.
    job.rwmixread = std::round(knobs.read_percent * 1e4) / 1e4;
    job.percentage_random = std::round(knobs.random_percent * 1e4) / 1e4;
    job.block_bytes = target.unit;
    job.read_sizes = SizeDistribution{
        {},
        target.unit,
        static_cast<std::uint64_t>(std::max<double>(knobs.read_mean, target.unit))};
    job.write_sizes = SizeDistribution{
        {},
        target.unit,
        static_cast<std::uint64_t>(std::max<double>(knobs.write_mean, target.unit))};
    const auto least = static_cast<double>(JobSpec::kPieceBytes);
    // An operation that never occurs needs no region of its own.
    const double read_region = target.read_share > 0 ? knobs.read_region : knobs.write_region;
    const double write_region = target.read_share < 1 ? knobs.write_region : knobs.read_region;
    job.read_size = whole_units(read_region, least, target.unit, target.address_space);
    job.write_size = whole_units(write_region, least, target.unit, target.address_space);
    const auto larger = static_cast<double>(std::max(*job.read_size, *job.write_size));
    job.size = whole_pieces(larger, least, target.address_space);
    job.read_size = std::min(*job.read_size, job.size);
    job.write_size = std::min(*job.write_size, job.size);
    if (target.address_space > job.size) {
        job.spread = target.address_space / JobSpec::kPieceBytes * JobSpec::kPieceBytes;
    }
    job.distribution = target.distribution;
    job.cluster = target.cluster;
    job.number_ios = target.requests;
    job.seed = target.seed;
    job.interarrival = target.interarrival;
    job.arrival = target.interarrival ? Arrival::kPoisson : Arrival::kFixed;
    return job;
}

bool has_footprint(const FitTarget& target) {
    return target.read_footprint || target.write_footprint;
}

TraceStatistics measure(JobSpec job, std::uint64_t requests) {
    job.number_ios = requests;
    TraceStatistics statistics(1, job.end(), DeviceMap(), false);
    Generator generator({"fit", {std::move(job)}});
    for (HostRequest request; generator.next(request);) {
        statistics.add(request);
    }
    return statistics;
}

std::vector<FitFigure> figures_of(const FitTarget& target, const TraceStatistics& s) {
    const auto& reads = s.of(RequestOp::kRead);
    const auto& writes = s.of(RequestOp::kWrite);
    const auto footprint = s.footprint();
    std::vector<FitFigure> figures;
    figures.push_back({"reads", 100 * target.read_share,
                       100 * static_cast<double>(reads.count) / static_cast<double>(s.requests()),
                       "%"});
    const auto add = [&figures](const char* name, const std::optional<double>& wanted, double scale,
                                double reached, const char* unit) {
        if (wanted) {
            figures.push_back({name, *wanted * scale, reached * scale, unit});
        }
    };
    add("mean read", target.read_mean, 1.0 / kKiB, reads.mean_bytes(), "KiB");
    add("mean write", target.write_mean, 1.0 / kKiB, writes.mean_bytes(), "KiB");
    add("random", target.random_share, 100, s.random_share(), "%");
    add("read footprint", target.read_footprint, 1.0 / kGiB, footprint.read * kPage, "GiB");
    add("write footprint", target.write_footprint, 1.0 / kGiB, footprint.written * kPage, "GiB");
    if (target.interarrival && s.requests() > 1) {
        figures.push_back({"mean inter-arrival",
                           static_cast<double>(*target.interarrival) / static_cast<double>(kUs),
                           static_cast<double>(s.duration()) / static_cast<double>(kUs) /
                               static_cast<double>(s.requests() - 1),
                           "us"});
    }
    return figures;
}

/// The knob that the figure of this name is turned by.
double* knob_of(const std::string& figure, Knobs& knobs) {
    struct Pair {
        const char* figure;
        double Knobs::*knob;
    };
    constexpr std::array kPairs{
        Pair{"reads", &Knobs::read_percent},         Pair{"mean read", &Knobs::read_mean},
        Pair{"mean write", &Knobs::write_mean},      Pair{"random", &Knobs::random_percent},
        Pair{"read footprint", &Knobs::read_region}, Pair{"write footprint", &Knobs::write_region}};
    for (const Pair& pair : kPairs) {
        if (figure == pair.figure) {
            return &(knobs.*pair.knob);
        }
    }
    return nullptr; // the time between requests is as asked for on average
}

bool good(const std::vector<FitFigure>& figures) {
    return std::all_of(figures.begin(), figures.end(), [](const FitFigure& figure) {
        return std::abs(figure.error()) <= kGoodEnough;
    });
}

double worst(const std::vector<FitFigure>& figures) {
    double most = 0;
    for (const FitFigure& figure : figures) {
        most = std::max(most, std::abs(figure.error()));
    }
    return most;
}

std::string number(double value) {
    std::ostringstream out;
    out.precision(10);
    out << value;
    return out.str();
}

std::string fixed(double value) {
    std::ostringstream out;
    out.precision(4);
    out << std::fixed << value;
    return out.str();
}

} // namespace

Fit fit_job(const FitTarget& target) {
    const auto space = static_cast<double>(target.address_space);
    const double any_mean = target.write_mean.value_or(target.read_mean.value_or(target.unit));
    Knobs knobs{target.read_mean.value_or(any_mean),
                target.write_mean.value_or(any_mean),
                100 * target.read_share,
                100 * target.random_share.value_or(1),
                target.read_footprint.value_or(space),
                target.write_footprint.value_or(space)};
    const std::uint64_t requests =
        has_footprint(target) ? target.requests : std::min(target.requests, kSampleRequests);
    std::optional<Fit> best;
    for (int round = 0; round < kRounds; ++round) {
        const JobSpec job = job_of(target, knobs);
        const Fit fit{job, figures_of(target, measure(job, requests)), requests};
        if (!best || worst(fit.figures) < worst(best->figures)) {
            best = fit;
        }
        if (good(fit.figures)) {
            break;
        }
        for (const FitFigure& figure : fit.figures) {
            double* knob = knob_of(figure.name, knobs);
            if (knob != nullptr && figure.target > 0 && figure.reached > 0) {
                *knob *= std::clamp(figure.target / figure.reached, 0.25, 4.0);
            }
        }
        knobs.read_percent = std::clamp(knobs.read_percent, 0.0, 100.0);
        knobs.random_percent = std::clamp(knobs.random_percent, 0.0, 100.0);
        knobs.read_region = std::min(knobs.read_region, space);
        knobs.write_region = std::min(knobs.write_region, space);
    }
    return *best;
}

std::string fit_to_toml(const FitTarget& target, const Fit& fit) {
    std::string out = "# Fitted: found by generating " + std::to_string(fit.measured_requests) +
                      " requests and measuring them. Target, reached:\n";
    for (const FitFigure& figure : fit.figures) {
        out += "#   " + figure.name + ": " + number(figure.target) + " " + figure.unit + ", " +
               fixed(figure.reached) + " " + figure.unit + "\n";
    }
    const JobSpec& job = fit.job;
    const auto line = [&out](const char* key, const std::string& value) {
        out += std::string(key) + " = " + value + "\n";
    };
    const bool mix = job.pattern == Pattern::kRandRw;
    out += "[[job]]\n";
    line("name", "\"" + job.name + "\"");
    line("rw", mix                                 ? "\"randrw\""
               : job.pattern == Pattern::kRandRead ? "\"randread\""
                                                   : "\"randwrite\"");
    if (mix) {
        line("rwmixread", number(job.rwmixread));
    }
    line("percentage_random", number(job.percentage_random));
    line("random_distribution", "\"" + target.distribution_text + "\"");
    if (job.cluster) {
        line("cluster", std::to_string(*job.cluster));
    }
    line("bs", std::to_string(job.block_bytes));
    line("bs_mean", "\"" + std::to_string(job.read_sizes->mean) + "B," +
                        std::to_string(job.write_sizes->mean) + "B\"");
    line("size", std::to_string(job.size));
    line("read_size", std::to_string(*job.read_size));
    line("write_size", std::to_string(*job.write_size));
    if (job.spread) {
        line("spread", std::to_string(*job.spread));
    }
    line("number_ios", std::to_string(*job.number_ios));
    if (job.interarrival) {
        line("interarrival", "\"" + format_quantity(*job.interarrival, Quantity::kTime) + "\"");
        line("arrival", "\"poisson\"");
    } else {
        line("iodepth", "32");
    }
    line("seed", std::to_string(*job.seed));
    return out;
}

} // namespace cavern
